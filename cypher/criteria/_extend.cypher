// Whether the turn may be written as it was resolved. Only where it adds to the task's criteria is the Task
// locked and its `criteriaRev` compared: two worlds of a task may add at the same time, and the slower one
// resolves anew. Where it touches the world's ledger, that must not have moved either. With `$asKnown` both must be as they
// were, in any case: in a world that is new, whose ledger says nothing of the task, and where the capture did not read but
// remembers. Criteria that are forgotten raise both revisions, and those that are restored beside live worlds the task's.
// params: $extends $asKnown $criteriaRev $ledger $token
// new {
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.rev = $token)
// }
WITH *
WHERE (NOT ($extends OR $asKnown) OR task.criteriaRev = $criteriaRev)
  AND (NOT ($ledger.touched OR $asKnown) OR w.ledgerRev = $ledger.rev)
// new {
FOREACH (_ IN CASE WHEN $extends THEN [1] ELSE [] END | SET task.criteriaRev = $criteriaRev + 1)
// }
