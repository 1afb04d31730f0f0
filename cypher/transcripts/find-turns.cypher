// The turns at one index of a session: a file that was replaced by another may have left an earlier turn
// there.
// params: $sessionKey $index
MATCH (s:TranscriptSession {key: $sessionKey})
RETURN [(s)-[h:HAS_TURN]->(t:TranscriptTurn) WHERE h.index = $index | t {.key, .id, .begunMs}] AS turns
