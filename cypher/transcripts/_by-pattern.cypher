MATCH (t:TranscriptTurn {project: $project})
WHERE t.begunMs >= $fromMs AND t.length >= $minLength AND t.patternKey IS NOT NULL AND t.sessionId IS NOT NULL
WITH t.patternKey AS key, count(t) AS count, sum(t.length) AS calls, count(DISTINCT t.sessionId) AS sessions
