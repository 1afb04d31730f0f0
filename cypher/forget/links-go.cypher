// Links that were drawn because of where and when a session ran.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})<-[r:TRANSCRIBED_IN]-(t)
WHERE NOT s.id IN t.transcriptSessionIds
DELETE r
RETURN count(*) AS gone
