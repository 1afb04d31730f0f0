// What fails again and again: failed calls by tool and by what their messages have in common.
// params: $project $sinceMs $limit
MATCH (s:FailedStep {project: $project})
WHERE $sinceMs = 0 OR s.startedMs >= $sinceMs
WITH s.tool AS toolName, s.failure AS failure, count(s) AS count, count(DISTINCT s.sessionId) AS sessions,
     max(s.startedMs) AS lastMs
ORDER BY count DESC, toolName, failure LIMIT $limit
RETURN toolName, failure, count, sessions, lastMs
