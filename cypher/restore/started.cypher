// Links calls to the agents that they started.
// params: $batch
UNWIND $batch.rows AS x
MATCH (t:TranscriptTurn {key: x.turn})-[:HAS_STEP]->(s:Step {sequence: x.sequence})
MATCH (c:TranscriptSession {key: x.session})
MERGE (s)-[:STARTED]->(c)
RETURN count(s) AS written
