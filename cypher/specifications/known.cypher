// The data of a task for a declaration: its criteria, and the revision at which they were read. No row: there
// is no such task yet.
// params: $taskKey
MATCH (task:Task {key: $taskKey})
RETURN coalesce(task.restoring, false) AS isRestoring, task.criteriaRev AS criteriaRev, coalesce(task.specificationVersion, 0) AS version,
       [(task)-[:HAS_CRITERION]->(c:Criterion) |
// include criteria/_criterion
       ] AS criteria
