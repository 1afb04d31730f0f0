// params: $worldKey
MATCH (w:World {key: $worldKey})
// include worlds/_world
