// The longest transcript turns during some turns of sessions.
// params: $keys $limit
UNWIND $keys AS key
MATCH (t:Turn {key: key})
MATCH (w:World)-[:HAS_TURN]->(t)
// A turn without a start begins when the turn before it ended.
WITH w, t, coalesce(t.startedAt, [(t)<-[:NEXT]-(previous:Turn) | previous.completedAt][0]) AS begun
MATCH (t)-[:TRANSCRIBED_IN]->(s:TranscriptSession)-[:HAS_TURN]->(x:TranscriptTurn)
WHERE (begun IS NULL OR x.startedAt IS NULL OR x.startedAt >= begun)
  AND (t.completedAt IS NULL OR x.startedAt IS NULL OR x.startedAt <= t.completedAt)
WITH DISTINCT w.featureId AS feature, w.taskId AS task, w.slug AS world, t.number AS turn, s.id AS session, x
ORDER BY x.length DESC, feature, task, world, turn, session, x.key LIMIT $limit
RETURN feature, task, world, turn, session, x.length AS length, x.pattern AS pattern, x.errors AS errors
