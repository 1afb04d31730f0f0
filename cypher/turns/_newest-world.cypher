// The newest world of the task: latest completed turn, or creation where none completed.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
WITH w
ORDER BY coalesce(w.lastCompletedAt, w.createdAt) DESC, w.ordinal DESC
LIMIT 1
