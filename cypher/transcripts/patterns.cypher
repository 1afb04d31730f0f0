// The patterns of turns, by the number of their turns; those of a single tool come last.
// when project
// Groups by a key of fixed length, which Neo4j reads from the index only; the text is looked up once per
// pattern.
// params: $project $minLength $fromMs $minTurns $minSessions $threshold $limit $arrow
MATCH (t:TranscriptTurn {project: $project})
WHERE t.begunMs >= $fromMs AND t.length >= $minLength AND t.patternKey IS NOT NULL AND t.sessionId IS NOT NULL
WITH t.patternKey AS key, count(t) AS count, sum(t.length) AS calls, count(DISTINCT t.sessionId) AS sessions,
     min(t.begunMs) AS firstMs, max(t.begunMs) AS lastMs
WHERE count >= $minTurns AND sessions >= $minSessions AND calls > $threshold * count
MATCH (p:TurnPattern {key: key})
WITH p.pattern AS pattern, count, calls, sessions, firstMs, lastMs
// when session
// params: $sessionKey $minLength $fromMs $limit $arrow
MATCH (s:TranscriptSession {key: $sessionKey})-[:HAS_TURN]->(t:TranscriptTurn)
WHERE t.length >= $minLength AND t.length > 0 AND t.begunMs >= $fromMs
WITH t.pattern AS pattern, count(t) AS count, sum(t.length) AS calls, count(DISTINCT s.id) AS sessions,
     min(t.begunMs) AS firstMs, max(t.begunMs) AS lastMs
// end
WITH *, CASE WHEN pattern CONTAINS $arrow THEN 0 ELSE 1 END AS singleTool
ORDER BY singleTool, count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions, firstMs, lastMs
