// Rewrites the state of the criteria of a world, derived from all entries of its turns.
// params: $key $properties $progress
MATCH (w:World {key: $key})
CALL (w) { MATCH (w)-[r:PROGRESS]->(:Criterion) DELETE r }
SET w += $properties
FOREACH (p IN $progress |
  MERGE (c:Criterion {key: p.criterion})
  CREATE (w)-[:PROGRESS {kept: p.kept, state: p.state, rejections: p.rejections}]->(c))
// include worlds/_changed
RETURN w.key AS key
