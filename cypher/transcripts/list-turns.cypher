// Turns with their calls in order, longest first; nothing walks a step.
// when project
// First how long the last of them is: the engines find that in half the time of an order by three properties, and then
// few turns are left to be put in it. On Neo4j the index knows length and place of each.
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
// A fork's turns too, which another session may have written.
// params: $sessionKey $pattern $minLength $fromMs $limit
MATCH (s:TranscriptSession {key: $sessionKey})-[h:HAS_TURN]->(t:TranscriptTurn)
WHERE ($pattern = '' OR t.pattern = $pattern) AND t.length >= $minLength AND t.begunMs >= $fromMs
WITH t, s.id AS sessionId, h.index AS index
// end
ORDER BY t.length DESC, sessionId, index LIMIT $limit
RETURN t {.id, .kind, .status, .begunMs, .durationMs, .length, .tools, .pattern, .errors, .parallelSteps} AS turn,
       sessionId, index
