// params: $family
UNWIND $family AS key
MATCH (f:TranscriptFile)-[:HOLDS]->(:TranscriptSession {key: key})
RETURN count(DISTINCT f) AS files
