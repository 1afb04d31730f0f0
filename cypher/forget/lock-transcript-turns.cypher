// Locks turns. Returns the other sessions that have these turns, such as forks, and the files of
// those sessions.
// Locks: TranscriptTurn (in the order of the keys).
// params: $keys $family $token
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})
SET t.rev = $token
WITH t
RETURN t.key AS key, t.sessionId AS sessionId,
       [(t)<-[h:HAS_TURN]-(s:TranscriptSession) WHERE NOT s.key IN $family | [s.key, s.id, h.index]] AS others,
       [(t)<-[:HAS_TURN]-(s:TranscriptSession)<-[:HOLDS]-(f:TranscriptFile) | [s.key, f.key]] AS files
