// What was tried in a turn of a world and why it was not approved: the turn ($turn 0: the newest) with its issues and gates,
// what it said of the criteria, and of a small world the ledger.
// params: $turn
// include worlds/_target
WITH w, w.key + '/' + toString(CASE WHEN $turn = 0 THEN w.currentTurn ELSE $turn END) AS key
// include criteria/_ledger
MATCH (x:Turn {key: key})
RETURN turnsFound, turns, criteria,
       properties(x) AS turn,
       [(x)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(x)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(x)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) |
// include criteria/_entry
       ] AS said,
// include criteria/_snapshot
