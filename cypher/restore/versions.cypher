// Raises the specification version of tasks to the last one that is stored with all versions before it. A restore
// may end before the others, and a task must not name a version without its specification. A world that
// is being restored is extended with its final state (restore/standings). Locks: Task, its worlds.
// params: $batch $token
UNWIND $batch.rows AS x
MATCH (task:Task {key: x.key})
SET task.rev = $token
WITH task, [(task)-[:SPECIFIED_BY]->(s:Specification) | s.version] AS versions
WITH task, reduce(newest = 0, v IN range(1, size(versions)) | CASE WHEN v = newest + 1 AND v IN versions THEN v ELSE newest END) AS newest
SET task.specificationVersion = CASE WHEN coalesce(task.specificationVersion, 0) < newest THEN newest ELSE task.specificationVersion END
WITH task
CALL (task) {
  MATCH (task)-[:HAS_WORLD]->(w:World)
  WHERE w.restoring IS NULL AND size(coalesce(w.specifiedAfter, [])) < task.specificationVersion
// include restore/_lacking-versions
  SET w.rev = $token
// include worlds/_changed
  RETURN count(w) AS extended
}
RETURN count(task) AS written
