// What a world keeps of its newest turns, made anew: how the newest 8 counted ones ended, and which is the newest
// with promises. Stall analysis and promise recovery need no more, however long the world is.
//
// A step of its own after `turns/insert` and `turns/supersede`, in their transaction (the World is locked by then):
// within them it would make Neo4j plan for a second longer, which is a time-out on a busy machine.
// params: $worldKey
MATCH (w:World {key: $worldKey})
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.outcome IS NOT NULL
  WITH x.number AS number, x.outcome AS outcome
  ORDER BY number DESC
  LIMIT 8
  WITH number, outcome
  ORDER BY number // oldest first, as `turns/append` adds to them
  RETURN collect(outcome) AS outcomes
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.promiseCount > 0
  RETURN max(x.number) AS promisedTurn
}
CALL (w, promisedTurn) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number = promisedTurn
  RETURN max(x.digest) AS promisedDigest
}
SET w.outcomes = outcomes, w.promisedTurn = promisedTurn, w.promisedDigest = promisedDigest
RETURN w.key AS key
