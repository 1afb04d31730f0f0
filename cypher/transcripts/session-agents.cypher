// The coding agents of some sessions. Leaves out sessions without one.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})
WHERE s.agent IS NOT NULL
RETURN s.key AS key, s.agent AS agent
