// How long the turns are in which a tool is called. Each turn counts once for a tool, however often it calls it.
// when periods
// What the import added up, from one period on.
// params: $project $period $threshold $limit
MATCH (u:ToolUse {project: $project})
WHERE u.period >= $period
WITH u.tool AS toolName, sum(u.calls) AS count, sum(u.turns) AS turns, sum(u.turns * u.length) AS turnCalls,
     sum(CASE WHEN u.length > $threshold THEN u.turns ELSE 0 END) AS longTurns
ORDER BY count DESC, toolName LIMIT $limit
// when turns
// Of the turns that began between two instants, turn by turn: the part of a period that `--since` cuts off.
// params: $project $fromMs $untilMs $threshold
MATCH (t:TranscriptTurn {project: $project})
WHERE t.begunMs >= $fromMs AND t.begunMs < $untilMs
MATCH (t)-[c:CALLED]->(k:Tool)
WITH k.name AS toolName, sum(c.calls) AS count, count(t) AS turns, sum(t.length) AS turnCalls,
     sum(CASE WHEN t.length > $threshold THEN 1 ELSE 0 END) AS longTurns
// end
RETURN toolName, count, turns, turnCalls, longTurns
