// Finds the sessions that have a newer record in another file than in the one to be written.
// params: $batch
UNWIND $batch.sessions AS x
MATCH (s:TranscriptSession {key: x.key})
WITH s, x
WHERE s.endedAt > datetime(x.endedAt)
MATCH (s)<-[:HOLDS]-(other:TranscriptFile)
WHERE other.key <> x.fileKey
RETURN DISTINCT x.fileKey AS fileKey, x.key AS key
