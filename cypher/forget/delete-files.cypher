// Deletes how far the files of some sessions were read: an import that reads one of them again begins anew.
// Locks: TranscriptFile.
// params: $keys $token
UNWIND $keys AS key
MATCH (f:TranscriptFile)-[:HOLDS]->(:TranscriptSession {key: key})
WITH DISTINCT f
SET f.rev = $token
DETACH DELETE f
RETURN count(*) AS gone
