// Recurring failures: failed calls by tool and by the common part of their messages.
// params: $project $fromMs $limit
MATCH (s:FailedCall {project: $project})
WHERE s.begunMs >= $fromMs AND s.failure IS NOT NULL AND s.sessionId IS NOT NULL
WITH s.failure AS pattern, count(s) AS count, count(DISTINCT s.sessionId) AS sessions, max(s.begunMs) AS lastMs
ORDER BY count DESC, pattern LIMIT $limit
RETURN pattern, count, sessions, lastMs
