// question: Which were the longest turns of the agents before a stall?
// In worlds that `turngraph stall` calls `stalled`: in the turns whose feedback is the same.
// columns: feature, task, world, turn, session, length, pattern, errors
// params: $projectKey $feature $task $world $limit
// include analysis/_stalls
AND verdict = 'stalled'
UNWIND turns AS number
WITH f, task, w, w.key + '/' + toString(number) AS key
MATCH (t:Turn {key: key})
MATCH (t)-[:TRANSCRIBED_IN]->(s:TranscriptSession)-[:HAS_TURN]->(x:TranscriptTurn)
WHERE (t.startedAt IS NULL OR x.startedAt IS NULL OR x.startedAt >= t.startedAt)
  AND (t.completedAt IS NULL OR x.startedAt IS NULL OR x.startedAt <= t.completedAt)
WITH DISTINCT f, task, w, t, s, x
RETURN f.id AS feature, task.id AS task, w.slug AS world, t.number AS turn, s.id AS session,
       x.length AS length, x.pattern AS pattern, x.errors AS errors
ORDER BY length DESC, feature, task, world, turn, session, pattern LIMIT $limit
