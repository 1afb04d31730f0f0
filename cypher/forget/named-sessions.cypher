// Sessions that nobody has imported, and that stand here because these turns name them.
// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})-[:TRANSCRIBED_IN]->(s:TranscriptSession)
WHERE s.isTranscribed IS NULL
RETURN DISTINCT s.key AS key
