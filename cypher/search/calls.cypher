// Failed calls of transcript turns, and the turns of the memory that were worked on in the same session.
// params: $keys
UNWIND $keys AS key
// when of-files
MATCH (f:TranscriptFile {key: key})-[:HOLDS]->(:TranscriptSession)-[:HAS_TURN]->(t:TranscriptTurn)
WHERE t.errors > 0
WITH DISTINCT t
// when by-key
MATCH (t:TranscriptTurn {key: key})
// end
RETURN t.key AS key, t.sessionId AS sessionId, t.begunMs AS begunMs,
       [(t)-[:HAS_FAILED_CALL]->(f:FailedCall) | [f.sequence, f.tool, f.error]] AS calls,
       [(t)<-[:HAS_TURN]-(:TranscriptSession)<-[:TRANSCRIBED_IN]-(x:Turn)<-[:HAS_TURN]-(w:World) WHERE w.deletedAt IS NULL |
         [w.slug, w.featureId, w.taskId, x.number]] AS turns
