// Stores a new specification version of a task, and creates its project, feature and task if they are
// missing.
//
// Each world of the task stores the turn after which the version was declared: an earlier verification is
// stale if the version rewords the criterion. A world that is created at the same time reads the version
// under the lock of the task (worlds/ensure). Locks: Task, after its worlds (specifications/lock-worlds). No
// row: the task has changed since it was read.
// params: $version $criteriaRev $extends $token $specification $declaredAt $listed $retired
// include projects/_task
SET task.rev = $token
WITH task
WHERE coalesce(task.specificationVersion, 0) = $version - 1 AND task.criteriaRev = $criteriaRev AND task.restoring IS NULL
SET task.specificationVersion = $version, task.criteriaRev = $criteriaRev + CASE WHEN $extends THEN 1 ELSE 0 END
CREATE (task)-[:SPECIFIED_BY]->(s:Specification {key: $specification.key, project: $project})
SET s += $specification, s.declaredAt = datetime($declaredAt)
FOREACH (c IN $listed |
  MERGE (k:Criterion {key: c.key})
  FOREACH (properties IN c.changed |
    MERGE (task)-[:HAS_CRITERION]->(k)
    SET k += properties, k.project = $project)
  CREATE (s)-[l:LISTS]->(k)
  SET l += c.listing)
FOREACH (c IN $retired |
  MERGE (k:Criterion {key: c.key})
  CREATE (s)-[:RETIRES {version: c.version}]->(k))
WITH task
CALL (task) {
  MATCH (task)-[:HAS_WORLD]->(w:World)
  SET w.specifiedAfter = coalesce(w.specifiedAfter, []) + [w.currentTurn], w.rev = $token
// include worlds/_changed
  RETURN collect(w.key) AS changedWorlds // for events
}
RETURN changedWorlds
