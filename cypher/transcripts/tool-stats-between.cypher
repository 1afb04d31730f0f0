// The same of the turns that began between two instants, turn by turn: what of a period `--since` cuts off.
// params: $project $fromMs $untilMs $threshold
MATCH (t:TranscriptTurn {project: $project})
WHERE t.begunMs >= $fromMs AND t.begunMs < $untilMs
MATCH (t)-[c:CALLED]->(k:Tool)
WITH k.name AS toolName, sum(c.calls) AS count, count(t) AS turns, sum(t.length) AS turnCalls,
     sum(CASE WHEN t.length > $threshold THEN 1 ELSE 0 END) AS longTurns
RETURN toolName, count, turns, turnCalls, longTurns
