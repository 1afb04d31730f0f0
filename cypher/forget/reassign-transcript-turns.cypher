// Removes turns from the sessions that will be deleted. A turn that came from one of these now belongs to
// another session, and to the file from which an import would read it again. Its failed calls get that session, too.
// params: $batch $family
UNWIND $batch.turns AS x
MATCH (t:TranscriptTurn {key: x.key})
CALL (t) { MATCH (t)<-[h:HAS_TURN]-(s:TranscriptSession) WHERE s.key IN $family DELETE h }
CALL (t, x) { MATCH (t)-[:HAS_FAILED_CALL]->(f:FailedCall) SET f.sessionId = coalesce(x.sessionId, f.sessionId) }
SET t.sessionId = coalesce(x.sessionId, t.sessionId), t.index = coalesce(x.index, t.index),
    t.fileKey = coalesce(x.fileKey, t.fileKey)
RETURN count(t) AS turns
