// Whether a project has a session, be it that a turn names it and its transcript is not imported yet.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
RETURN s.key AS key
