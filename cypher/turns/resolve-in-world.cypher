// All that a capture must know to resolve the criteria its turn names, in a world that it names.
// params: $worldKey $taskKey $turnNumber
OPTIONAL MATCH (task:Task {key: $taskKey})
OPTIONAL MATCH (w:World {key: $worldKey})
// include turns/_resolve
