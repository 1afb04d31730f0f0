// How long the turns are in which a tool is called: what the import counted per turn and tool, so that no step is
// walked. Each turn counts once for a tool, however often it calls it.
// params: $project $sinceMs $threshold $limit
MATCH (t:TranscriptTurn {project: $project})-[c:CALLED]->(k:Tool)
WHERE $sinceMs = 0 OR t.startedMs >= $sinceMs
WITH k.name AS toolName, sum(c.calls) AS count, count(t) AS turns, sum(t.length) AS turnCalls,
     sum(CASE WHEN t.length > $threshold THEN 1 ELSE 0 END) AS longTurns
ORDER BY count DESC, toolName LIMIT $limit
RETURN toolName, count, turns, turnCalls, longTurns
