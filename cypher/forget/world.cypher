// The world that is to go, by its name.
// params: $worldKey
MATCH (w:World {key: $worldKey})
// include forget/_goes
