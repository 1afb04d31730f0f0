// The world of a context for which no earlier turn was found. No row: there is no such world.
// params: $turnNumber
// include worlds/_target
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn)
  RETURN count(x) AS turnsFound
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber
  RETURN count(x) AS turnsBelow
}
RETURN w.slug AS worldSlug, w.deletedAt IS NOT NULL AS deleted, w.turnCount AS turnCount, turnsFound, turnsBelow,
       w.specifiedAfter AS specifiedAfter,
       [(w)-[:SUPERSEDES]->(x:SupersededTurn) | [x.number, x.withdrawnAt, x.withdrawnReason]] AS withdrawn
