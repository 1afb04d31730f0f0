// What failed in them says whose it is by itself.
// params: $batch
UNWIND $batch.turns AS x
MATCH (t:TranscriptTurn {key: x.key})-[:HAS_STEP]->(s:FailedStep)
SET s.sessionId = x.sessionId
RETURN count(s) AS steps
