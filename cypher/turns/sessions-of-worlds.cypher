// The turns of worlds with their reported tokens, and the transcript sessions in which each was worked on.
// params: $keys
UNWIND $keys AS key
MATCH (w:World {key: key})-[:HAS_TURN]->(t:Turn)
RETURN w.key AS worldKey, t.number AS number, t.usage AS usage,
       [(t)-[:TRANSCRIBED_IN]->(s:TranscriptSession) | s.key] AS sessions
