// How many versions of what must hold a task has declared. No row: there is no such task.
// params: $taskKey
MATCH (task:Task {key: $taskKey})
RETURN coalesce(task.specificationVersion, 0) AS version
