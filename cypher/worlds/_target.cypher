// The world that a request is about: the one that it names, if it is of the task, else the newest one of the task: by its
// latest completed turn, or by its creation where none completed.
// params: $taskKey
// when named-world
// params: $worldKey
MATCH (w:World {key: $worldKey})
WITH w, w.taskKey AS ofTask // beside the key Grafeo would scan all worlds for it
WHERE ofTask = $taskKey
// when newest-world
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
WITH w
ORDER BY w.lastActivityAt DESC, w.ordinal DESC
LIMIT 1
// end
