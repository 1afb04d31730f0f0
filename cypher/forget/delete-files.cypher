// Deletes the read positions of the files of some sessions: an import reads such a file from the beginning
// again.
// Locks: TranscriptFile.
// params: $keys $token
UNWIND $keys AS key
MATCH (f:TranscriptFile)-[:HOLDS]->(:TranscriptSession {key: key})
WITH DISTINCT f
SET f.rev = $token
DETACH DELETE f
RETURN count(*) AS gone
