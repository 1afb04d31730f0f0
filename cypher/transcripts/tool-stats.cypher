// How long the turns are in which a tool is called: what the import added up, from one period on. Each turn counts once
// for a tool, however often it calls it.
// params: $project $period $threshold $limit
MATCH (u:ToolUse {project: $project})
WHERE u.period >= $period
WITH u.tool AS toolName, sum(u.calls) AS count, sum(u.turns) AS turns, sum(u.turns * u.length) AS turnCalls,
     sum(CASE WHEN u.length > $threshold THEN u.turns ELSE 0 END) AS longTurns
ORDER BY count DESC, toolName LIMIT $limit
RETURN toolName, count, turns, turnCalls, longTurns
