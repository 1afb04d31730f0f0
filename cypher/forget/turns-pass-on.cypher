// Turns that another session holds, too, are its own from now on: with the file that would give them again.
// params: $batch
UNWIND $batch.turns AS x
MATCH (t:TranscriptTurn {key: x.key})
SET t.sessionId = x.sessionId, t.index = x.index, t.fileKey = coalesce(x.fileKey, t.fileKey)
RETURN count(t) AS turns
