// A world, and how much hangs on it.
// params: $worldKey
MATCH (w:World {key: $worldKey})
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)
  RETURN count(t) AS turns, max(t.completedAt) AS latest, max(t.number) AS newest
}
CALL (w) { MATCH (w)-[:HAS_ATTEMPT]->(a:Attempt) RETURN count(a) AS attempts }
RETURN properties(w) AS held, turns, latest, newest, attempts, [(w)-[:HAS_RUN]->(r:TurnRun) | r.key] AS runs,
       [(w)-[r:PROGRESS]->(c:Criterion) | [c.key, r.kept, r.state, r.rejections]] AS progress,
       [(w)-[:HAS_RUN]->(r:TurnRun) WHERE r.activeWorldKey IS NOT NULL | [r.turnRunId, r.leaseUntil, r.leaseOwner]] AS activeRuns,
       [(w)-[:HAS_ATTEMPT]->(a:Attempt) WHERE a.activeWorldKey IS NOT NULL | [a.attemptId, a.leaseUntil, a.leaseOwner]] AS activeAttempts
