// params: $keys
UNWIND $keys AS key
MATCH (f:TranscriptFile)-[:HOLDS]->(:TranscriptSession {key: key})
RETURN key AS key, min(f.key) AS fileKey
