// Turns with all that hangs on them, as `turns/_parts` stores it. Their criteria are known to be there.
// params: $batch $token
UNWIND $batch.rows AS x
MATCH (w:World {key: x.world})
CREATE (w)-[:HAS_TURN]->(t:Turn {key: x.key})
// include restore/_record
FOREACH (l IN x.labels |
  MERGE (k:Criterion {key: l.criterion})
  CREATE (w)-[:LABELS {source: l.source, label: l.label, turn: x.properties.number}]->(k))
RETURN count(t) AS written
