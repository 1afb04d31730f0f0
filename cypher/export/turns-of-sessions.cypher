// The turns of some sessions, each with its number of calls and with all sessions that hold it.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})-[h:HAS_TURN]->(t:TranscriptTurn)
RETURN key AS session, h.index AS index, t.key AS turn, t.length AS length,
       [(t)<-[:HAS_TURN]-(x:TranscriptSession) | x.key] AS holders
