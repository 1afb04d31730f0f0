// Checks that a project has a session, even if only a turn names it and its transcript is not imported yet.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
RETURN s.key AS key
