// The withdrawn records of turns that were worked on in some sessions.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})<-[:TRANSCRIBED_IN]-(t:SupersededTurn)
WHERE t.withdrawnAt IS NOT NULL
RETURN s.key AS session, t.key AS key, t.number AS number, t.completedAt AS completedAt
