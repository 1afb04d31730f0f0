// Sessions with the sessions of their agents.
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
// when any-time
// when before
// Leaves out conversations that were active since, and those without a time. The first condition saves time if many sessions are
// newer.
// params: $before
WITH s, coalesce(s.endedAt, s.startedAt) AS lastAt
WHERE lastAt IS NULL OR lastAt < datetime($before)
WITH s, lastAt, [(s)<-[:AGENT_OF]-(a:TranscriptSession) | coalesce(a.endedAt, a.startedAt)] AS agentsAt
WITH s, [at IN [lastAt] + agentsAt WHERE at IS NOT NULL] AS times
WHERE size(times) > 0 AND all(at IN times WHERE at < datetime($before))
WITH s
// end
ORDER BY s.key
LIMIT $limit
RETURN s.key AS key, s.isTranscribed AS isTranscribed,
       [(s)<-[:AGENT_OF]-(a:TranscriptSession) | [a.key, a.isTranscribed]] AS agents
