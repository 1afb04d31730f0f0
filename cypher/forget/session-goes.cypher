// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
DETACH DELETE s
RETURN count(*) AS gone
