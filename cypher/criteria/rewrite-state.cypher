// Rewrites the state of a world, derived from all of its turns.
// params: $worldKey $properties $progress
MATCH (w:World {key: $worldKey})
CALL (w) { MATCH (w)-[r:PROGRESS]->(:Criterion) DELETE r }
SET w += $properties
WITH w, $progress AS progress
// include criteria/_progress
// include worlds/_changed
RETURN w.key AS key
