// The shapes of one session's turns.
// params: $sessionKey $minLength $fromMs $limit
MATCH (s:TranscriptSession {key: $sessionKey})-[:HAS_TURN]->(t:TranscriptTurn)
WHERE t.length >= $minLength AND t.length > 0 AND t.begunMs >= $fromMs
WITH t.pattern AS pattern, count(t) AS count, sum(t.length) AS calls, count(DISTINCT s.id) AS sessions
ORDER BY count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions
