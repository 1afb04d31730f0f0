// Whether the turn may be written as it was resolved. Only where it adds to the task's criteria is the Task
// locked and its `criteriaRev` compared: two worlds of a task may add at the same time, and the slower one
// resolves anew. Where it touches the world's ledger, that must not have moved either. In a world that is new
// (`$inNewWorld`) both must be as they were in any case: its ledger says nothing of the task.
//
// Where the service's clock says when the turn was completed, it says no earlier than what makes this world the newest of
// its task: the clock may have stepped back since another world was written (docs/decisions/newest-world.md).
// params: $extends $inNewWorld $criteriaRev $ledger $token $at
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.rev = $token)
WITH *
WHERE (NOT ($extends OR $inNewWorld) OR task.criteriaRev = $criteriaRev)
  AND (NOT ($ledger.touched OR $inNewWorld) OR w.ledgerRev = $ledger.rev)
WITH *, CASE WHEN $at.isStamped
  THEN [(task)-[:HAS_WORLD]->(x:World) WHERE x.deletedAt IS NULL AND x.ordinal <> w.ordinal |
    x.lastActivityAt + duration(CASE WHEN x.ordinal > w.ordinal THEN 'PT0.001S' ELSE 'PT0S' END)]
  ELSE [] END AS floors // of worlds that are equally new, the one of the higher ordinal is the newest
WITH *, reduce(at = datetime($at.completed), floor IN floors | CASE WHEN floor > at THEN floor ELSE at END) AS completedAt
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.criteriaRev = $criteriaRev + 1)
