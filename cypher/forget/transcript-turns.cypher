// Some turns of a session, in no order.
// params: $sessionKey $limit
MATCH (s:TranscriptSession {key: $sessionKey})-[:HAS_TURN]->(t:TranscriptTurn)
WITH t
LIMIT $limit
RETURN t.key AS key, t.length AS length
