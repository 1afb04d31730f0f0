// Whether the turn may be written as it was resolved. Only where it adds to the task's criteria is the Task
// locked and its `criteriaRev` compared: two worlds of a task may add at the same time, and the slower one
// resolves anew. Where it touches the world's ledger, that must not have moved either. In a world that is new
// (`$inNewWorld`) both must be as they were in any case: its ledger says nothing of the task.
// params: $extends $inNewWorld $criteriaRev $ledger $token
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.rev = $token)
WITH *
WHERE (NOT ($extends OR $inNewWorld) OR task.criteriaRev = $criteriaRev)
  AND (NOT ($ledger.touched OR $inNewWorld) OR w.ledgerRev = $ledger.rev)
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.criteriaRev = $criteriaRev + 1)
