// question: How did turn runs end, and why?
// columns: status, reason, runs, committed_turns, attempts, failed, interrupted
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_RUN]->(r:TurnRun)
RETURN r.status AS status, r.failureReason AS reason, count(r) AS runs, sum(r.committedTurnCount) AS committed_turns,
       sum(r.attemptCount) AS attempts, sum(r.failedAttemptCount) AS failed, sum(r.interruptedAttemptCount) AS interrupted
ORDER BY runs DESC, status, reason LIMIT $limit
