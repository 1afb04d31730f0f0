// A turn with its issues and gates ($turn 0: the newest), what it said of the criteria, and of a small world the ledger.
// params: $turn
WITH w, w.key + '/' + toString(CASE WHEN $turn = 0 THEN w.currentTurn ELSE $turn END) AS key
MATCH (t:Turn {key: key})
// include criteria/_ledger
RETURN turnsFound, turns, criteria,
       properties(t) AS turn,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(t)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) |
         [t.number, v.position, c.key, v.criterionId, v.status, v.source, v.form, v.substantiated, v.evidence]] AS said,
// include criteria/_standing
