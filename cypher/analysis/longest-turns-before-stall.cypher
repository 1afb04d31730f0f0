// question: Which were the longest turns of the agents before a stall?
// In worlds that stalled: none of the newest three turns was approved, and none of them verified a criterion that had
// not been verified before.
// columns: feature, task, world, turn, session, length, pattern, errors
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.turnCount >= 3 AND (w.lastGainTurn IS NULL OR w.lastGainTurn <= w.currentTurn - 3)
MATCH (w)-[:HAS_TURN]->(t:Turn)
WHERE t.number > w.currentTurn - 3
WITH f, task, w, collect(t) AS newest, sum(CASE WHEN t.coachDecision = 'approved' THEN 1 ELSE 0 END) AS approved
WHERE approved = 0
UNWIND newest AS t
MATCH (t)-[:TRANSCRIBED_IN]->(s:TranscriptSession)-[:HAS_TURN]->(x:TranscriptTurn)
WHERE (t.startedAt IS NULL OR x.startedAt IS NULL OR x.startedAt >= t.startedAt)
  AND (t.completedAt IS NULL OR x.startedAt IS NULL OR x.startedAt <= t.completedAt)
WITH DISTINCT f, task, w, t, s, x
RETURN f.id AS feature, task.id AS task, w.slug AS world, t.number AS turn, s.id AS session,
       x.length AS length, x.pattern AS pattern, x.errors AS errors
ORDER BY length DESC, feature, task, world, turn, session, pattern LIMIT $limit
