// The shapes of one session's turns.
// Patterns of a single tool come last.
// params: $sessionKey $minLength $fromMs $limit $arrow
MATCH (s:TranscriptSession {key: $sessionKey})-[:HAS_TURN]->(t:TranscriptTurn)
WHERE t.length >= $minLength AND t.length > 0 AND t.begunMs >= $fromMs
WITH t.pattern AS pattern, count(t) AS count, sum(t.length) AS calls, count(DISTINCT s.id) AS sessions
WITH *, CASE WHEN pattern CONTAINS $arrow THEN 0 ELSE 1 END AS singleTool
ORDER BY singleTool, count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions
