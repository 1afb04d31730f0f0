// Writes anew where the criteria of a world stand, as derived from all that its turns said.
// params: $key $properties $progress
MATCH (w:World {key: $key})
CALL (w) { MATCH (w)-[r:PROGRESS]->(:Criterion) DELETE r }
SET w += $properties
FOREACH (p IN $progress |
  MERGE (c:Criterion {key: p.criterion})
  CREATE (w)-[:PROGRESS {kept: p.kept, state: p.state, rejections: p.rejections}]->(c))
// include worlds/_changed
RETURN w.key AS key
