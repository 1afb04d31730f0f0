// The calls of turns in order, one page of turns at a time: the caller counts sequences of calls over them.
// params: $after $fromMs $limit
// when project
// params: $project
MATCH (t:TranscriptTurn {project: $project})
WHERE t.key > $after AND t.length > 1 AND t.begunMs >= $fromMs
WITH t, t.sessionId AS session
// when session
// Includes the turns of a fork, which another session may have written.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})-[:HAS_TURN]->(t:TranscriptTurn)
WHERE t.key > $after AND t.length > 1 AND t.begunMs >= $fromMs
WITH t, s.id AS session
// end
ORDER BY t.key LIMIT $limit
RETURN t.key AS key, t.tools AS tools, session
