// The world of a request: the named one, if it belongs to the task; without a name, the newest one of the
// task, by its latest completed turn, or by its creation if no turn completed.
// params: $taskKey
// when named-world
// params: $worldKey
MATCH (w:World {key: $worldKey})
WITH w, w.taskKey AS ofTask // as a condition next to the key, it would make Grafeo scan all worlds
WHERE ofTask = $taskKey
// when newest-world
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
WITH w
ORDER BY w.lastActivityAt DESC, w.ordinal DESC
LIMIT 1
// end
