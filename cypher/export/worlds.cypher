// The worlds of a task after one, by key; deleted ones too.
// params: $taskKey $after $limit
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.key > $after
RETURN w.key AS key
ORDER BY key
LIMIT $limit
