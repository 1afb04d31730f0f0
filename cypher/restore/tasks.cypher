// Tasks with counters that are at least those of the file: existing worlds and criteria of this graph count
// too. The version of the specification rises later, with its node (restore/versions).
// params: $batch $token
UNWIND $batch.rows AS x
MATCH (f:Feature {key: x.owner})
MERGE (task:Task {key: x.key})
ON CREATE SET task.project = x.properties.project, task.id = x.properties.id, task.criteriaRev = 0, task.worldCount = 0, task.restoring = true // until restore/mark-tasks
SET task.rev = $token
MERGE (f)-[:HAS_TASK]->(task)
SET task.criteriaRev = CASE WHEN task.criteriaRev < x.properties.criteriaRev THEN x.properties.criteriaRev ELSE task.criteriaRev END,
    task.worldCount = CASE WHEN task.worldCount < x.properties.worldCount THEN x.properties.worldCount ELSE task.worldCount END
RETURN count(task) AS written
