// question: Why did attempts fail?
// Counts attempts without a turn, and their worlds, by executor and reason.
// columns: executor, status, reason, attempts, worlds
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_ATTEMPT]->(a:Attempt)
WHERE a.status IN ['failed', 'interrupted']
RETURN a.executor AS executor, a.status AS status, a.failureReason AS reason, count(a) AS attempts,
       count(DISTINCT w) AS worlds
ORDER BY attempts DESC, executor, status, reason LIMIT $limit
