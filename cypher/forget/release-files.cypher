// Removes sessions from files that also contain other sessions. The read position stays: an import continues
// after the removed sessions.
// params: $batch $keys
UNWIND $batch.files AS x
MATCH (f:TranscriptFile {key: x.key})
CALL (f) { MATCH (f)-[r:HOLDS]->(s:TranscriptSession) WHERE s.key IN $keys DELETE r }
SET f.state = x.state
RETURN count(f) AS files
