// The number of worlds that a task has had, including deleted ones, the number of specification versions that
// it has declared, and whether a restore is still writing it. No row: there is no such task yet.
// params: $taskKey
MATCH (task:Task {key: $taskKey})
RETURN task.worldCount AS worldCount, coalesce(task.specificationVersion, 0) AS versionCount,
       coalesce(task.restoring, false) AS isRestoring
