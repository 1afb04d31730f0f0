// The longest turns of a project, with their calls in order: nothing walks a step. First how long the last of them is:
// the engines find that in half the time of an order by three properties, and then few turns are left to be put in it.
// On Neo4j the index knows length and place of each.
// params: $project $minLength $fromMs $limit
MATCH (x:TranscriptTurn {project: $project})
WHERE x.length >= $minLength AND x.index IS NOT NULL AND x.begunMs >= $fromMs
WITH x.length AS length ORDER BY length DESC LIMIT $limit
WITH min(length) AS least
MATCH (t:TranscriptTurn {project: $project})
WHERE t.length >= least AND t.index IS NOT NULL AND t.begunMs >= $fromMs
WITH t ORDER BY t.length DESC, t.sessionId, t.index LIMIT $limit
// include transcripts/_turn
, t.sessionId AS sessionId, t.index AS index
