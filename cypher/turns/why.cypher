// A turn of a world ($turn 0: the newest) with its issues and gates and its entries about criteria, which
// show what was tried and why it was not approved. Includes the ledger of a small world.
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
