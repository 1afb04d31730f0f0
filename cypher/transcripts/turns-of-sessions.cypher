// The turns of the memory that were worked on in some sessions. A session may span several of them.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})<-[:TRANSCRIBED_IN]-(t:Turn)<-[:HAS_TURN]-(w:World)
WHERE w.deletedAt IS NULL
RETURN s.key AS session, w.key AS worldKey, t.number AS number, t.completedAt AS completedAt
