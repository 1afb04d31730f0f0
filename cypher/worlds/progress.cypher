// One world, with how far it has come.
// params: $worldKey
MATCH (w:World {key: $worldKey})
// include worlds/_progress
