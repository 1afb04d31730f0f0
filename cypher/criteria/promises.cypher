// The promises of the newest turn with promises, and the state of the criteria. No row: there are no
// promises.
// include worlds/_target
// when newest-turn
// The turn is found by key, so the cost does not grow with the world.
WITH *, w.key + '/' + toString(w.promisedTurn) AS key
// when as-of
// Considers the turns up to an earlier one, with the ledger as of that turn.
// params: $promisedBy
// include criteria/_ledger
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number <= $promisedBy AND x.promiseCount > 0
  RETURN max(x.number) AS promisedIn
}
WITH *, w.key + '/' + toString(promisedIn) AS key
// end
MATCH (t:Turn {key: key})
RETURN
// when as-of
       turnsFound, turns, criteria,
// when newest-turn
// end
       t {.number, .digest, .promiseCount} AS promisedTurn,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [properties(p), c.key, c.mergedInto]] AS promises,
// include criteria/_snapshot
