// The lengths of the turns that call a tool. Each turn counts once per tool, regardless of the number of its
// calls.
// params: $project $fromMs $threshold $limit
MATCH (t:TranscriptTurn {project: $project})
WHERE t.begunMs >= $fromMs
MATCH (t)-[c:CALLED]->(k:Tool)
WITH k.name AS toolName, sum(c.calls) AS count, count(t) AS turns, sum(t.length) AS turnCalls,
     sum(CASE WHEN t.length > $threshold THEN 1 ELSE 0 END) AS longTurns
ORDER BY count DESC, toolName LIMIT $limit
RETURN toolName, count, turns, turnCalls, longTurns
