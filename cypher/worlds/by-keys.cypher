// Worlds by their keys, with how far each has come.
// params: $keys
UNWIND $keys AS key
MATCH (w:World {key: key})
// include worlds/_progress
