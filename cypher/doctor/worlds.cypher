// A page of the worlds of a task.
// params: $taskKey $after $limit
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.key > $after
RETURN w.key AS key, w.ordinal AS ordinal
ORDER BY key
LIMIT $limit
