// The tokens of turns by model, one page of turns at a time: the caller adds them up.
// params: $project $after $fromMs $limit
MATCH (t:TranscriptTurn {project: $project})
WHERE t.key > $after AND t.begunMs >= $fromMs AND t.modelTokens IS NOT NULL
WITH t ORDER BY t.key LIMIT $limit
RETURN t.key AS key, t.sessionId AS sessionId, t.begunMs AS begunMs, t.models AS models, t.modelTokens AS modelTokens
