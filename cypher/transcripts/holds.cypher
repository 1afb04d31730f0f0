// Which sessions hold which turns; apart from `transcripts/turns`, because a fork holds turns that another one wrote.
// params: $batch
UNWIND $batch.held AS x
MATCH (s:TranscriptSession {key: x.session})
MATCH (t:TranscriptTurn {key: x.turn})
MERGE (s)-[h:HAS_TURN]->(t) ON CREATE SET h.index = x.index // a copy of the turn further on is none
RETURN count(h) AS held
