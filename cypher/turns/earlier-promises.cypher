// The earlier promises for a turn that came late: searches all turns of the world for the newest earlier one.
// params: $worldKey $turnNumber
MATCH (w:World {key: $worldKey})
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber AND x.promiseCount > 0
  RETURN max(x.number) AS earlier
}
WITH w.key + '/' + toString(earlier) AS earlierKey
// include turns/_earlier-promises
RETURN earlierPromises
