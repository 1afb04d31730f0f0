// The turns of the memory that were worked on in some sessions, or the withdrawn records of such turns. A session may span
// several of them.
// params: $keys
UNWIND $keys AS key
// when current
MATCH (s:TranscriptSession {key: key})<-[:TRANSCRIBED_IN]-(t:Turn)<-[:HAS_TURN]-(w:World)
WHERE w.deletedAt IS NULL
// when withdrawn
MATCH (s:TranscriptSession {key: key})<-[:TRANSCRIBED_IN]-(t:SupersededTurn)
WHERE t.withdrawnAt IS NOT NULL
// end
RETURN s.key AS session, t.key AS key, t.number AS number, t.completedAt AS completedAt
