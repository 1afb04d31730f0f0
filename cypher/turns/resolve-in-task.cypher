// The same for a capture that names no world: it goes to the world of the task that already holds this very
// record at this turn, else to the newest one (latest completed turn, or creation where none completed).
// No row: there is no such task yet. The task is matched, not matched optionally: Grafeo scans all nodes for an
// OPTIONAL MATCH that starts at a node of another OPTIONAL MATCH. The turn is found by key, as a world may be long.
// params: $taskKey $turnNumber $digest
MATCH (task:Task {key: $taskKey})
OPTIONAL MATCH (task)-[:HAS_WORLD]->(x:World)
WHERE x.deletedAt IS NULL
CALL (x) {
  MATCH (t:Turn {key: x.key + '/' + toString($turnNumber)})
  WITH t.digest AS digest
  WHERE digest = $digest
  RETURN count(digest) AS records
}
WITH task, x, records, coalesce(x.lastCompletedAt, x.createdAt) AS newest
ORDER BY records DESC, newest DESC, x.ordinal DESC
LIMIT 1
WITH task, x AS w
// include turns/_resolve
