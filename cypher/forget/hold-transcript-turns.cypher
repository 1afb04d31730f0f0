// Locks turns (by `rev`, in the order of the keys) and shows what was added up of them, and which other sessions hold
// them: a fork does. Locks: TranscriptTurn.
// params: $keys $family $token
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})
SET t.rev = $token
WITH t
RETURN t.key AS key, t.length AS length, t.pattern AS pattern, t.begunMs AS begunMs, t.tools AS tools,
       t.sessionId AS sessionId,
       [(t)<-[h:HAS_TURN]-(s:TranscriptSession) WHERE NOT s.key IN $family | [s.key, s.id, h.index]] AS others
