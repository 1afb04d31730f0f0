// What every turn of a world complained of, up to one: each turn with its decision and with how many issues it has, and the
// number of all turns beside them, so that a reader that raced a commit or a supersede notices and reads again. The criteria
// come along for the labels that the answer shows for them.
// params: $turnNumber
// include worlds/_target
// include criteria/_ledger
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn)
  RETURN count(x) AS turnsOfWorld
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber
  RETURN collect([x.number, x.coachDecision, x.issueCount, [(x)-[:RAISED]->(i:Issue) | properties(i)]]) AS judgements
}
RETURN turnsOfWorld, judgements, turnsFound, turns, criteria,
// include criteria/_snapshot
