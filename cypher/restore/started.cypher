// Links turns to the agents that their calls started.
// params: $batch
UNWIND $batch.rows AS x
MATCH (t:TranscriptTurn {key: x.turn})
MATCH (c:TranscriptSession {key: x.session})
MERGE (t)-[:STARTED {sequence: x.sequence}]->(c)
RETURN count(*) AS written
