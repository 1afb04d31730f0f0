// What fails again and again: failed calls by tool and by what their messages have in common.
// params: $project $fromMs $neverMs $limit
MATCH (s:FailedStep {project: $project})
WHERE s.tool IS NOT NULL AND s.failure IS NOT NULL AND s.sessionId IS NOT NULL
  AND s.begunMs IS NOT NULL AND ($fromMs = $neverMs OR s.begunMs >= $fromMs)
WITH s.tool AS toolName, s.failure AS failure, count(s) AS count, count(DISTINCT s.sessionId) AS sessions,
     max(s.begunMs) AS lastMs
ORDER BY count DESC, toolName, failure LIMIT $limit
RETURN toolName, failure, count, sessions, lastMs
