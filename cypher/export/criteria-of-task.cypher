// The criteria of a task after one, by key.
// params: $taskKey $after $limit
MATCH (task:Task {key: $taskKey})-[:HAS_CRITERION]->(c:Criterion)
WHERE c.key > $after
RETURN properties(c) AS criterion, task.key AS task
ORDER BY c.key
LIMIT $limit
