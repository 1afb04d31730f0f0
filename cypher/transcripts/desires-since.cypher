// The same of the turns that began at some instant or later: what a pattern says is of all its turns.
// Patterns of a single tool come last.
// params: $project $minTurns $minSessions $minLength $fromMs $threshold $limit $arrow
// include transcripts/_by-pattern
, min(t.begunMs) AS firstMs, max(t.begunMs) AS lastMs
WHERE count >= $minTurns AND sessions >= $minSessions AND calls > $threshold * count
MATCH (p:TurnPattern {key: key})
WITH p.pattern AS pattern, count, calls, sessions, firstMs, lastMs,
     CASE WHEN p.pattern CONTAINS $arrow THEN 0 ELSE 1 END AS singleTool
ORDER BY singleTool, count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions, firstMs, lastMs
