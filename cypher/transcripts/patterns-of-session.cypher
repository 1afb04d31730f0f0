// The shapes of one session's turns.
// params: $sessionKey $minLength $sinceMs $limit
MATCH (s:TranscriptSession {key: $sessionKey})-[:HAS_TURN]->(t:TranscriptTurn)
WHERE t.length >= $minLength AND t.length > 0 AND ($sinceMs = 0 OR t.startedMs >= $sinceMs)
WITH t.pattern AS pattern, count(t) AS count, sum(t.length) AS calls, count(DISTINCT s.id) AS sessions,
     min(t.startedMs) AS firstMs, max(t.startedMs) AS lastMs
ORDER BY count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions, firstMs, lastMs
