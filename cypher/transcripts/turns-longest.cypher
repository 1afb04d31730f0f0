// The longest turns of a project, with their calls in order: nothing walks a step.
// params: $project $minLength $sinceMs $limit
MATCH (t:TranscriptTurn {project: $project})
WHERE t.length >= $minLength AND ($sinceMs = 0 OR t.startedMs >= $sinceMs)
WITH t ORDER BY t.length DESC, t.sessionId, t.index LIMIT $limit
// include transcripts/_turn
, t.sessionId AS sessionId, t.index AS index
