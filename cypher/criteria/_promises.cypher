t {.number, .digest, .promiseCount} AS promisedTurn,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [properties(p), c.key, c.mergedInto]] AS promises,
// include criteria/_standing
