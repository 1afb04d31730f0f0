// The data that a capture needs to find the criteria of its turn, and the state of the world after its newest turn.
//
// A capture that names no world is stored in the world of the task that already holds this same record at this
// turn, otherwise in the newest one (latest completed turn, or creation if no turn completed). No row: there
// is no such task yet. The task is matched, not matched optionally: Grafeo scans all nodes for an OPTIONAL
// MATCH that starts at a node of another OPTIONAL MATCH. The turn is found by key, because a world may be
// long. The form for a named world always returns a row. Its values are null if the world does not exist.
// params: $taskKey
// when named-world
// params: $worldKey
OPTIONAL MATCH (task:Task {key: $taskKey})
OPTIONAL MATCH (w:World {key: $worldKey})
// when newest-world
// params: $digest $turnNumber
MATCH (task:Task {key: $taskKey})
OPTIONAL MATCH (task)-[:HAS_WORLD]->(x:World)
WHERE x.deletedAt IS NULL
CALL (x) {
  MATCH (t:Turn {key: x.key + '/' + toString($turnNumber)})
  WITH t.digest AS digest
  WHERE digest = $digest
  RETURN count(digest) AS records
}
WITH task, x, records, x.lastActivityAt AS newest
ORDER BY records DESC, newest DESC, x.ordinal DESC
LIMIT 1
WITH task, x AS w
// end
RETURN w.slug AS worldSlug,
       w.taskKey AS taskKey,
       w.deletedAt IS NOT NULL AS deleted,
       w.currentTurn AS currentTurn,
       w.turnCount AS turnCount,
       w.ledgerRev AS ledgerRev,
       w.state AS state,
       task.criteriaRev AS criteriaRev,
       task.worldCount AS worldCount,
       coalesce(task.specificationVersion, 0) AS specificationVersion,
       [(task)-[:HAS_CRITERION]->(c:Criterion) |
// include criteria/_criterion
       ] AS criteria
