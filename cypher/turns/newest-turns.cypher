// Recomputes the properties that a world keeps of its newest turns: the outcomes of the newest 8 counted
// turns, and the newest turn with promises. Stall analysis and promise recovery need no more, regardless of
// the length of the world.
//
// A separate step after `turns/capture-late` and `turns/supersede`, in their transaction (the World is already
// locked): within them, Neo4j would plan for one second longer, which is a time-out on a busy machine.
// params: $worldKey
MATCH (w:World {key: $worldKey})
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.outcome IS NOT NULL
  WITH x.number AS number, x.outcome AS outcome
  ORDER BY number DESC
  LIMIT 8
  WITH number, outcome
  ORDER BY number // oldest first, as `turns/capture` adds to them
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
