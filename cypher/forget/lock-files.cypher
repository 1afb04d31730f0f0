// Locks the files of some sessions. Returns all sessions of each file, and the state of its parser.
// Locks: TranscriptFile.
// params: $keys $token
UNWIND $keys AS key
MATCH (f:TranscriptFile)-[:HOLDS]->(:TranscriptSession {key: key})
WITH DISTINCT f
SET f.rev = $token
RETURN f.key AS key, f.state AS state, [(f)-[:HOLDS]->(s:TranscriptSession) | s.key] AS sessionKeys
