// The turn with its parts, and where each criterion stands: one statement, one round trip, every look-up on an index.
RETURN entries,
       properties(t) AS turn,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [properties(p), c.key, c.mergedInto]] AS promises,
       [(t)-[:RECORDED]->(v:Verification) | properties(v)] AS verifications,
// include criteria/_standing
