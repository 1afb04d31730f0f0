// Worlds by their keys, with the progress of each.
// params: $keys
UNWIND $keys AS key
MATCH (w:World {key: key})
// include worlds/_progress
