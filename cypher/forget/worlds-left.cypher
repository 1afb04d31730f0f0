// The worlds of a task that are not on their way out.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.forgottenAt IS NULL
RETURN w.key AS key
