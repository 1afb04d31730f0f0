// A world that the caller names, if it is the task's.
// params: $worldKey $taskKey
MATCH (w:World {key: $worldKey})
WHERE w.taskKey = $taskKey
