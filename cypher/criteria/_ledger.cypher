// The append-only ledger of a world below a turn, if the world has at most as many turns as the caller wants
// to read ($ledgerUpTo). Each turn comes with its entries and their counts and its digest, together with the
// number of all turns. A reader that raced a commit or a supersede notices a difference
// (src/memory/criteria/snapshot.ts) and reads again, so no lock is needed for a consistent read. Rows are
// lists, at half the cost of maps. Subqueries filter before they expand: a pattern comprehension with a false
// condition took 6 ms on the embedded engine for a world of 300 turns, this takes 0.1.
// params: $ledgerUpTo $turnNumber
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE w.turnCount <= $ledgerUpTo
  RETURN count(x) AS turnsFound
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE w.turnCount <= $ledgerUpTo AND x.number < $turnNumber
  RETURN collect([x.number, x.digest, x.verificationCount, x.promiseCount, x.outcome,
    [(x)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) |
// include criteria/_entry
      + [v.criterionText]],
    [(x)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) |
      [x.number, p.position, c.key, p.criterionId, p.status, p.evidence, p.criterionText]]]) AS turns
}
CALL (w) {
  MATCH (w)<-[:HAS_WORLD]-(task:Task) WHERE w.turnCount <= $ledgerUpTo
  MATCH (task)-[:HAS_CRITERION]->(c:Criterion)
  RETURN collect(
// include criteria/_criterion
  ) AS criteria
}
