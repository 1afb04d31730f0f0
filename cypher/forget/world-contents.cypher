// How much would go with a world.
// params: $worldKey
MATCH (w:World {key: $worldKey})
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)
  RETURN count(t) AS turns, sum(t.verificationCount) AS verifications, sum(t.promiseCount) AS promises,
         sum(t.issueCount) AS issues, sum(t.gateCount) AS gates
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.revision > 1
  MATCH (x)-[:SUPERSEDES*1..]->(t:SupersededTurn)
  RETURN count(t) AS superseded, sum(t.verificationCount) AS oldVerifications, sum(t.promiseCount) AS oldPromises,
         sum(t.issueCount) AS oldIssues, sum(t.gateCount) AS oldGates
}
CALL (w) { MATCH (w)-[:HAS_ATTEMPT]->(a:Attempt) RETURN count(a) AS attempts }
CALL (w) { MATCH (w)-[:HAS_RUN]->(r:TurnRun) RETURN count(r) AS runs }
RETURN turns, superseded, attempts, runs,
       coalesce(verifications, 0) + coalesce(oldVerifications, 0) AS verifications,
       coalesce(promises, 0) + coalesce(oldPromises, 0) AS promises,
       coalesce(issues, 0) + coalesce(oldIssues, 0) AS issues,
       coalesce(gates, 0) + coalesce(oldGates, 0) AS gates // Grafeo: the sum of nothing is null
