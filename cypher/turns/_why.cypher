// A turn with its issues and gates ($turn 0: the newest), and the whole ledger, which tells what it won and lost.
// params: $turn
WITH w, w.key + '/' + toString(CASE WHEN $turn = 0 THEN w.currentTurn ELSE $turn END) AS key
MATCH (t:Turn {key: key})
RETURN properties(t) AS turn,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
// include criteria/_standing
,
// include criteria/_ledger
