// One turn with all of its parts.
// params: $worldKey $turnKey
MATCH (w:World {key: $worldKey})
MATCH (t:Turn {key: $turnKey})
// include turns/_whole
