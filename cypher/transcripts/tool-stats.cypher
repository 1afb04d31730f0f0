// The lengths of the turns that call a tool. Each turn counts once per tool, regardless of the number of its
// calls.
// when periods
// Reads the sums of the import, from one period on.
// params: $project $period $threshold $limit
MATCH (u:ToolUse {project: $project})
WHERE u.period >= $period
WITH u.tool AS toolName, sum(u.calls) AS count, sum(u.turns) AS turns, sum(u.turns * u.length) AS turnCalls,
     sum(CASE WHEN u.length > $threshold THEN u.turns ELSE 0 END) AS longTurns
ORDER BY count DESC, toolName LIMIT $limit
// when turns
// Counts the turns that began between two instants: the part of a period that `--since` cuts off.
// params: $project $fromMs $untilMs $threshold
MATCH (t:TranscriptTurn {project: $project})
WHERE t.begunMs >= $fromMs AND t.begunMs < $untilMs
MATCH (t)-[c:CALLED]->(k:Tool)
WITH k.name AS toolName, sum(c.calls) AS count, count(t) AS turns, sum(t.length) AS turnCalls,
     sum(CASE WHEN t.length > $threshold THEN 1 ELSE 0 END) AS longTurns
// end
RETURN toolName, count, turns, turnCalls, longTurns
