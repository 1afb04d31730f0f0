// Turns with all that hangs on them, by key.
// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})<-[:HAS_TURN]-(w:World)
RETURN w.key AS world,
       [(t)<-[:NEXT]-(p:Turn) | p.number] AS before,
       [(w)-[l:LABELS]->(c:Criterion) WHERE l.turn = t.number | [l.source, l.label, c.key]] AS labels,
// include export/_record
