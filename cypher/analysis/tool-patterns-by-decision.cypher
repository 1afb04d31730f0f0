// question: Which shapes of work did the Coach approve, and which did it send back?
// Counts, for turns with known transcripts, how often each tool pattern occurs in turns that were approved and in
// those that were sent back. A pattern that occurs mostly in turns that were sent back is a bad sign.
// columns: pattern, approved, rejected, avg_length
// params: $projectKey $feature $task $world $limit
MATCH (s:TranscriptSession)
WHERE s.key STARTS WITH $projectKey + '/' AND s.isTranscribed = true
// Starts at the transcripts because many turns may have none.
MATCH (s)<-[:TRANSCRIBED_IN]-(t:Turn)<-[:HAS_TURN]-(w:World)
WHERE t.coachDecision IN ['approved', 'feedback', 'rejected'] AND w.deletedAt IS NULL
  AND ($feature = '' OR w.featureId = $feature) AND ($task = '' OR w.taskId = $task)
  AND ($world = '' OR w.slug = $world)
// A turn without a start begins when the turn before it ended.
WITH s, t, coalesce(t.startedAt, [(t)<-[:NEXT]-(previous:Turn) | previous.completedAt][0]) AS begun
WITH s, collect({from: begun, to: t.completedAt, approved: t.coachDecision = 'approved'}) AS turns
// A transcript may cover several turns. A turn of the transcript counts for the turn during which it started; if
// its start is not known, it counts for all of them. `length` is its number of tool calls.
MATCH (s)-[:HAS_TURN]->(x:TranscriptTurn)
WHERE x.length > 0
WITH x.pattern AS pattern, x.length AS length,
     [t IN turns WHERE (t.from IS NULL OR x.startedAt IS NULL OR x.startedAt >= t.from)
                   AND (t.to IS NULL OR x.startedAt IS NULL OR x.startedAt <= t.to) | t.approved] AS approvals
WITH pattern,
     sum(size([approved IN approvals WHERE approved])) AS approved,
     sum(size([approved IN approvals WHERE NOT approved])) AS rejected,
     sum(length * size(approvals)) AS calls
WHERE approved + rejected > 0
RETURN pattern, approved, rejected, toFloat(calls) / (approved + rejected) AS avg_length
ORDER BY rejected - approved DESC, pattern LIMIT $limit
