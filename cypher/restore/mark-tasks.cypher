// Marks the tasks of a batch that are not complete yet: their lines continue in the next batch, or a world is
// partial. A task that the restore did not create is marked for its worlds only. Locks: Task.
// params: $batch $token
UNWIND $batch.rows AS x
MATCH (task:Task {key: x.key})
WITH x, task, size([(task)-[:HAS_WORLD]->(w:World) WHERE w.restoring = true | 1]) AS parts
SET task.rev = $token,
    task.restoring = CASE
      WHEN parts > 0 OR (x.continues AND coalesce(task.restoring, false)) THEN true
      ELSE null END
RETURN count(task) AS written
