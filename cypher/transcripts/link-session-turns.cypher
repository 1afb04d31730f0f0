// Links sessions to their turns. Separate from `transcripts/write-turns` because a fork has turns of another
// session.
// params: $batch
UNWIND $batch.links AS x
MATCH (s:TranscriptSession {key: x.session})
MATCH (t:TranscriptTurn {key: x.turn})
MERGE (s)-[h:HAS_TURN]->(t) ON CREATE SET h.index = x.index // the first index counts; later copies do not
RETURN count(h) AS links
