// The same, those alone that have a world which moved since an instant.
// params: $featureKey $after $since $limit
MATCH (:Feature {key: $featureKey})-[:HAS_TASK]->(task:Task)-[:HAS_WORLD]->(w:World)
WHERE task.key > $after
// include export/_since
WITH DISTINCT task
RETURN task.key AS key
ORDER BY key
LIMIT $limit
