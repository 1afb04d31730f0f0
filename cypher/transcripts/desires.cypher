// Patterns of long turns that recur across sessions (seed 002, "Desire Path Surfacing"): three times or more, in two
// sessions or more, longer on average than the threshold.
// params: $project $sinceMs $threshold $limit
MATCH (t:TranscriptTurn {project: $project})
WHERE t.length > 0 AND ($sinceMs = 0 OR t.startedMs >= $sinceMs)
WITH t.pattern AS pattern, count(t) AS count, sum(t.length) AS calls, count(DISTINCT t.sessionId) AS sessions,
     min(t.startedMs) AS firstMs, max(t.startedMs) AS lastMs
WHERE count >= 3 AND sessions >= 2 AND calls > $threshold * count
WITH pattern, count, calls, sessions, firstMs, lastMs
ORDER BY count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions, firstMs, lastMs
