// The continuation context in a world that the caller names.
// params: $worldKey $taskKey
MATCH (w:World {key: $worldKey})
WHERE w.taskKey = $taskKey
// include turns/_context
