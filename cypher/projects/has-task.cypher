// Checks that any feature of a project has a task with that id.
// params: $projectKey $taskId
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(t:Task)
WHERE t.id = $taskId
RETURN t.id AS name
LIMIT 1
