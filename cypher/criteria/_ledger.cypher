// The world's append-only ledger below a turn, of a world that has no more turns than the caller wants to read
// ($ledgerUpTo). Each turn comes with its own entries and their counts, its digest, and the number of all turns beside
// them, so that a reader that raced a commit or a supersede notices (src/memory/criteria/snapshot.ts) and reads again: no lock is
// needed to read what is of one moment. Rows are lists: half the cost of maps. Subqueries, because they filter before they
// expand: a pattern comprehension whose condition is false took 6 ms on the embedded engine for a world of 300 turns,
// this takes 0.1.
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
    ],
    [(x)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [x.number, p.position, c.key, p.criterionId, p.status]]]) AS turns
}
CALL (w) {
  MATCH (w)<-[:HAS_WORLD]-(task:Task) WHERE w.turnCount <= $ledgerUpTo
  MATCH (task)-[:HAS_CRITERION]->(c:Criterion)
  RETURN collect(
// include criteria/_criterion
  ) AS criteria
}
