// Checks that the turn may be written as it was resolved. Locks the Task and compares its `criteriaRev` only
// if the turn adds to the task's criteria: two worlds of a task may add at the same time, and the slower one
// resolves its turn again. In a new world (`$inNewWorld`), `criteriaRev` is compared in any case. The ledger and the state
// of the world must not have changed, because the new state was computed from the one that was read. The text of the
// state is compared, too: a read on Neo4j that overlaps with a commit may return the old state with the new `ledgerRev`.
//
// If the service's clock set the completion time, the turn completes no earlier than the time that makes this
// world the newest of its task: the clock may have stepped back since another world was written
// (docs/decisions/newest-world.md).
// params: $extends $inNewWorld $criteriaRev $ledgerRev $stateBefore $token $at
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.rev = $token)
WITH *
WHERE (NOT ($extends OR $inNewWorld) OR task.criteriaRev = $criteriaRev)
  AND w.ledgerRev = $ledgerRev AND coalesce(w.state, '') = $stateBefore
WITH *, CASE WHEN $at.isStamped
  THEN [(task)-[:HAS_WORLD]->(x:World) WHERE x.deletedAt IS NULL AND x.ordinal <> w.ordinal |
    x.lastActivityAt + duration(CASE WHEN x.ordinal > w.ordinal THEN 'PT0.001S' ELSE 'PT0S' END)]
  ELSE [] END AS floors // of equally new worlds, the one with the higher ordinal is the newest
WITH *, reduce(at = datetime($at.completed), floor IN floors | CASE WHEN floor > at THEN floor ELSE at END) AS completedAt
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.criteriaRev = $criteriaRev + 1)
