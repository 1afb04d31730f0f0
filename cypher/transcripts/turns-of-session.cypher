// The longest turns that one session holds; a fork's turns too, which another session may have written.
// params: $sessionKey $pattern $minLength $fromMs $limit
MATCH (s:TranscriptSession {key: $sessionKey})-[h:HAS_TURN]->(t:TranscriptTurn)
WHERE ($pattern = '' OR t.pattern = $pattern) AND t.length >= $minLength AND t.begunMs >= $fromMs
WITH s, h, t ORDER BY t.length DESC, h.index LIMIT $limit
// include transcripts/_turn
, s.id AS sessionId, h.index AS index
