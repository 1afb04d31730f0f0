// The promises of a turn, or of the newest turn that has any ($from is 0), with where the criteria stand. No row:
// there are none. The turn is found by key, so the cost does not grow with the world.
// params: $from
WITH w, w.key + '/' + toString(CASE WHEN $from = 0 THEN w.promisedTurn ELSE $from END) AS key
MATCH (t:Turn {key: key})
RETURN t.number AS turn,
       t.promiseCount AS promiseCount,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [properties(p), c.key, c.mergedInto]] AS promises,
// include criteria/_standing
