// Turns with their calls in order, longest first. It reads no steps.
// when project
// Finds the length of the last turn first: the engines do that in half the time of an order by three
// properties, and only a few turns are left to order. On Neo4j, the index contains the length and the
// position of each turn.
// params: $project $minLength $fromMs $limit
MATCH (x:TranscriptTurn {project: $project})
WHERE x.length >= $minLength AND x.index IS NOT NULL AND x.begunMs >= $fromMs
WITH x.length AS length ORDER BY length DESC LIMIT $limit
WITH min(length) AS least
MATCH (t:TranscriptTurn {project: $project})
WHERE t.length >= least AND t.index IS NOT NULL AND t.begunMs >= $fromMs
WITH t, t.sessionId AS sessionId, t.index AS index
// when pattern
// params: $patternKey $minLength $fromMs $limit
MATCH (p:TurnPattern {key: $patternKey})<-[:FOLLOWS]-(t:TranscriptTurn)
WHERE t.length >= $minLength AND t.begunMs >= $fromMs
WITH t, t.sessionId AS sessionId, t.index AS index
// when session
// Includes the turns of a fork, which another session may have written.
// params: $sessionKey $pattern $minLength $fromMs $limit
MATCH (s:TranscriptSession {key: $sessionKey})-[h:HAS_TURN]->(t:TranscriptTurn)
WHERE ($pattern = '' OR t.pattern = $pattern) AND t.length >= $minLength AND t.begunMs >= $fromMs
WITH t, s.id AS sessionId, h.index AS index
// end
// Two files of a session may have different turns at one index.
ORDER BY t.length DESC, sessionId, index, t.key LIMIT $limit
RETURN t {.id, .kind, .status, .begunMs, .durationMs, .length, .tools, .pattern, .errors, .parallelSteps,
          .models, .effort, .inputTokens, .outputTokens, .cacheReadTokens, .cacheCreationTokens} AS turn,
       sessionId, index
