// The turns that follow a pattern exactly, longest first.
// params: $patternKey $minLength $fromMs $limit
MATCH (p:TurnPattern {key: $patternKey})<-[:FOLLOWS]-(t:TranscriptTurn)
WHERE t.length >= $minLength AND t.begunMs >= $fromMs
WITH t ORDER BY t.length DESC, t.sessionId, t.index LIMIT $limit
// include transcripts/_turn
, t.sessionId AS sessionId, t.index AS index
