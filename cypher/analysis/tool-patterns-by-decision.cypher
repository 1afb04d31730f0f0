// question: Which shapes of work did the Coach approve, and which did it send back?
// Of the turns whose transcripts are known, how often each tool pattern stands in an approved and in a rejected one. Many
// more rejected than approved: that is no way to work.
// columns: pattern, approved, rejected, avg_length
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:TRANSCRIBED_IN]->(:TranscriptSession)-[:HAS_TURN]->(x:TranscriptTurn)
WHERE x.length > 0 AND t.coachDecision IN ['approved', 'feedback', 'rejected']
  AND (t.startedAt IS NULL OR x.startedAt IS NULL OR x.startedAt >= t.startedAt)
  AND (t.completedAt IS NULL OR x.startedAt IS NULL OR x.startedAt <= t.completedAt)
WITH x.pattern AS pattern,
     sum(CASE WHEN t.coachDecision = 'approved' THEN 1 ELSE 0 END) AS approved,
     sum(CASE WHEN t.coachDecision = 'approved' THEN 0 ELSE 1 END) AS rejected,
     sum(x.length) AS calls
RETURN pattern, approved, rejected, toFloat(calls) / (approved + rejected) AS avg_length
ORDER BY rejected - approved DESC, pattern LIMIT $limit
