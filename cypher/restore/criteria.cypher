// Criteria that are new, or that have more texts and labels in the file. Locks: Task. If others may capture
// into the task, its revision rises: their knowledge of its criteria is outdated.
// params: $batch $token
UNWIND $batch.rows AS x
MATCH (task:Task {key: x.owner})
SET task.rev = $token
MERGE (c:Criterion {key: x.key})
SET c += x.properties
MERGE (task)-[:HAS_CRITERION]->(c)
WITH task, count(c) AS written
WITH task, written, size([(task)-[:HAS_WORLD]->(w:World) WHERE w.restoring IS NULL | 1]) AS live
SET task.criteriaRev = task.criteriaRev + CASE WHEN live > 0 THEN 1 ELSE 0 END
RETURN sum(written) AS written
