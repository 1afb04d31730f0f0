// The same of superseded turns.
// params: $keys
UNWIND $keys AS key
MATCH (t:SupersededTurn {key: key})-[:TRANSCRIBED_IN]->(s:TranscriptSession)
WHERE s.isTranscribed IS NULL
RETURN DISTINCT s.key AS key
