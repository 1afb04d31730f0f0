// A world that the caller names, if it is the task's.
// params: $worldKey $taskKey
MATCH (w:World {key: $worldKey})
WITH w, w.taskKey AS ofTask // beside the key Grafeo would scan all worlds for it
WHERE ofTask = $taskKey
