// How far transcripts were read, once their turns are there. Locks: TranscriptFile.
// params: $batch $token
UNWIND $batch.rows AS x
MERGE (f:TranscriptFile {key: x.key})
SET f.rev = $token, f += x.properties
RETURN count(f) AS written
