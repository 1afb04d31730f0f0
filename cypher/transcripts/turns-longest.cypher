// The longest turns of a project, with their calls in order: nothing walks a step. On Neo4j the
// index knows length and place of each.
// params: $project $minLength $fromMs $neverMs $limit
MATCH (t:TranscriptTurn {project: $project})
WHERE t.length >= $minLength AND t.index IS NOT NULL AND ($fromMs = $neverMs OR t.begunMs >= $fromMs)
WITH t ORDER BY t.length DESC, t.sessionId, t.index LIMIT $limit
// include transcripts/_turn
, t.sessionId AS sessionId, t.index AS index
