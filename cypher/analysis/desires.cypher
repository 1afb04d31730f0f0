// question: Which long ways of working recur and deserve a better tool?
// Shows the state of the last import; `turngraph desires` recomputes it. Patterns of a single tool come last.
// columns: desire, pattern, turns, avg_length, sessions
// params: $project $limit
MATCH (d:Desire {project: $project})
WITH d, CASE WHEN d.pattern CONTAINS ' → ' THEN 0 ELSE 1 END AS singleTool
ORDER BY singleTool, d.count DESC, d.pattern LIMIT $limit
RETURN d.error AS desire, d.pattern AS pattern, d.count AS turns, d.avgLength AS avg_length, d.sessions AS sessions
