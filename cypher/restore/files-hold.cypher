// params: $batch
UNWIND $batch.rows AS x
MATCH (f:TranscriptFile {key: x.file})
MATCH (s:TranscriptSession {key: x.session})
MERGE (f)-[:HOLDS]->(s)
RETURN count(s) AS written
