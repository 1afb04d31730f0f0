// The shapes of a project's turns, by how often they occur. Grouped by the turn's own property: a hop to the
// pattern's node would cost as much again.
// params: $project $minLength $sinceMs $limit
MATCH (t:TranscriptTurn {project: $project})
WHERE t.length >= $minLength AND t.length > 0 AND ($sinceMs = 0 OR t.startedMs >= $sinceMs)
WITH t.pattern AS pattern, count(t) AS count, sum(t.length) AS calls, count(DISTINCT t.sessionId) AS sessions,
     min(t.startedMs) AS firstMs, max(t.startedMs) AS lastMs
ORDER BY count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions, firstMs, lastMs
