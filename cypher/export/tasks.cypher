// The tasks of a feature after one, by key.
// params: $featureKey $after $limit
MATCH (:Feature {key: $featureKey})-[:HAS_TASK]->(task:Task)
WHERE task.key > $after
RETURN task.key AS key
ORDER BY key
LIMIT $limit
