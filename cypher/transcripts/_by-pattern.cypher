MATCH (t:TranscriptTurn {project: $project})
WHERE t.length >= $minLength AND t.patternKey IS NOT NULL AND t.sessionId IS NOT NULL
  AND ($fromMs = $neverMs OR t.begunMs >= $fromMs)
WITH t.patternKey AS key, count(t) AS count, sum(t.length) AS calls, count(DISTINCT t.sessionId) AS sessions
