// What each turn of a world says of its criteria, with its count (a torn one is read again): of a world that has no more
// turns than the caller wants to read ($entriesUpTo), and where no turn from the coming one on stands. Who asks as of an
// earlier turn folds the ledger (criteria/_ledger).
// params: $entriesUpTo $turnNumber
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE w.turnCount <= $entriesUpTo AND w.currentTurn < $turnNumber
  RETURN collect([x.number, x.verificationCount, [(x)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) |
    [x.number, v.position, c.key, v.criterionId, v.status, v.source, v.form, v.substantiated, v.evidence]]]) AS entries
}
