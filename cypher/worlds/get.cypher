// params: $worldKey
MATCH (w:World {key: $worldKey})
RETURN
// include worlds/_world
AS world
