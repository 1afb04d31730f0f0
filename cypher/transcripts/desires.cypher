// Patterns of long turns that recur across sessions (seed 002, "Desire Path Surfacing"): three times or more, in two
// sessions or more, longer on average than the threshold. What a pattern says of its turns leaves out most of them;
// only their sessions and starts are looked at.
// params: $project $minTurns $threshold $limit
MATCH (p:TurnPattern {project: $project})
WHERE p.turns >= $minTurns AND p.calls > $threshold * p.turns
WITH p, p.key AS key
MATCH (t:TranscriptTurn {patternKey: key})
WHERE t.sessionId IS NOT NULL AND t.begunMs IS NOT NULL // so says the index
WITH p, count(DISTINCT t.sessionId) AS sessions, min(t.begunMs) AS firstMs, max(t.begunMs) AS lastMs
WHERE sessions >= 2
WITH p.pattern AS pattern, p.turns AS count, p.calls AS calls, sessions, firstMs, lastMs
ORDER BY count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions, firstMs, lastMs
