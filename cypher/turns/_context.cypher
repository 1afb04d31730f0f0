// The newest turn below the coming one, with its parts, and where each criterion stands: one statement, one
// round trip, every look-up on an index. The ledger comes along only where it is asked for. The key is built
// from the world's counter; no row means a gap (or no turn at all), and `turns/previous-…` finds the turn.
// params: $turnNumber
WITH w, w.key + '/' + toString(CASE WHEN w.currentTurn < $turnNumber THEN w.currentTurn ELSE $turnNumber - 1 END) AS key
MATCH (t:Turn {key: key})
// include criteria/_ledger
RETURN turns, criteria, ledger, promised,
       properties(t) AS turn,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [properties(p), c.key, c.mergedInto]] AS promises,
       [(t)-[:RECORDED]->(v:Verification) | properties(v)] AS verifications,
// include criteria/_standing
