// question: Which long ways of working recur, and want a better tool?
// As of the last import; `turngraph desires` computes them anew.
// columns: desire, pattern, turns, avg_length, sessions
// params: $project $limit
MATCH (d:Desire {project: $project})
RETURN d.text AS desire, d.pattern AS pattern, d.count AS turns, d.avgLength AS avg_length, d.sessions AS sessions
ORDER BY turns DESC, pattern LIMIT $limit
