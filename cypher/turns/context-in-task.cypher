// The continuation context in the newest world of the task (latest completed turn, or creation where
// none completed). No row: the task has none.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(x:World)
WHERE x.deletedAt IS NULL
WITH x, coalesce(x.lastCompletedAt, x.createdAt) AS newest
ORDER BY newest DESC, x.ordinal DESC
LIMIT 1
WITH x AS w
// include turns/_context
