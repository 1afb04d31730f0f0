// Tasks that have only declarations: forgetting worlds does not reach them. Pages are ordered by key.
// params: $key $after $limit
// when task
MATCH (task:Task {key: $key})
// when project
MATCH (:Project {key: $key})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(task:Task)
// end
WITH task // Grafeo uses no index if the MATCH has a further condition
WHERE task.key > $after AND NOT EXISTS { MATCH (task)-[:HAS_WORLD]->(:World) }
RETURN task.key AS key
ORDER BY key
LIMIT $limit
