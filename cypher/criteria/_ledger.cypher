// The world's append-only ledger below a turn, of a world that has no more turns than the caller wants to read
// ($ledgerUpTo), with each turn's counts: a reader that raced a commit compares and reads again. Rows are lists:
// half the cost of maps. Subqueries, because they filter before they expand: a pattern comprehension whose condition
// is false took 6 ms on the embedded engine for a world of 300 turns, this takes 0.1.
// params: $ledgerUpTo $turnNumber
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE w.turnCount <= $ledgerUpTo AND x.number < $turnNumber
  RETURN collect([x.number, x.verificationCount, x.promiseCount, x.outcome]) AS turns
}
CALL (w) {
  MATCH (w)<-[:HAS_WORLD]-(task:Task) WHERE w.turnCount <= $ledgerUpTo
  MATCH (task)-[:HAS_CRITERION]->(c:Criterion)
  RETURN collect([c.key, c.texts, c.textSources, c.labels, c.labelSources, c.mergedInto, c.worldKey]) AS criteria
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE w.turnCount <= $ledgerUpTo AND x.number < $turnNumber
  MATCH (x)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
  RETURN collect([x.number, v.position, c.key, v.criterionId, v.status, v.source, v.form, v.substantiated, v.evidence]) AS ledger
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE w.turnCount <= $ledgerUpTo AND x.number < $turnNumber
  MATCH (x)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
  RETURN collect([x.number, p.position, c.key, p.criterionId, p.status]) AS promised
}
