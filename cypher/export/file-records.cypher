// params: $keys
UNWIND $keys AS key
MATCH (f:TranscriptFile {key: key})
RETURN properties(f) AS file, [(f)-[:HOLDS]->(s:TranscriptSession) | s.key] AS holds
