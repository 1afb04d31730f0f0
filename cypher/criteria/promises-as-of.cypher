// The promises that held at an earlier turn of a world: those of the newest turn up to and with it that has any, with the
// ledger as of that turn. No row: there are none.
// params: $promisedBy
// include turns/_named-world
// include criteria/_ledger
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number <= $promisedBy AND x.promiseCount > 0
  RETURN max(x.number) AS promisedIn
}
WITH *, w.key + '/' + toString(promisedIn) AS key
MATCH (t:Turn {key: key})
RETURN turnsFound, turns, criteria,
// include criteria/_promises
