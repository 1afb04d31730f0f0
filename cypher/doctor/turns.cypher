// Turns by their keys, with what leads to them and from them.
// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})
RETURN key, properties(t) AS held,
       [(t)<-[:HAS_TURN]-(w:World) | w.key] AS worlds,
       [(t)<-[:NEXT]-(p) | p.key] AS before, [(t)-[:NEXT]->(n) | n.key] AS next,
       [(t)-[:SUPERSEDES]->(o) | o.key] AS superseded
