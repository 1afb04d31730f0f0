// The issues of all turns of a world up to a turn: each turn with its decision and its number of issues,
// together with the number of all turns, so that a reader that raced a commit or a supersede notices and
// reads again. Includes the criteria for the labels in the answer.
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
