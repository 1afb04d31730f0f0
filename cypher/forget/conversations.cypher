// Sessions with the last activity of each session and of its agents.
// params: $after $limit
// when project
// Finds the sessions of a project that are not an agent's.
// params: $prefix
MATCH (s:TranscriptSession)
WHERE s.key STARTS WITH $prefix AND s.key > $after AND NOT EXISTS { MATCH (s)-[:AGENT_OF]->(:TranscriptSession) }
WITH s
// when session
// Finds one session, which may be an agent's.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
WITH s
WHERE s.key > $after
WITH s
// end
ORDER BY s.key
LIMIT $limit
RETURN s.key AS key, s.isTranscribed AS isTranscribed, coalesce(s.endedAt, s.startedAt) AS lastAt,
       [(s)<-[:AGENT_OF]-(a:TranscriptSession) | [a.key, toString(coalesce(a.endedAt, a.startedAt)), a.isTranscribed]] AS agents
