// The tasks of a project that declare criteria and have no session yet. Captures and new sessions change a
// world, which the index notices; a declaration without a session changes none.
// params: $projectKey
MATCH (p:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(task:Task)
WHERE task.worldCount = 0 AND task.specificationVersion IS NOT NULL
RETURN task.key AS key, task.specificationVersion AS version
