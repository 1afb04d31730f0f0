// The turns that lead to a session, and whether whoever captured them named it.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
RETURN size([(s)<-[:TRANSCRIBED_IN]-(t) WHERE s.id IN t.transcriptSessionIds | 1]) AS named
