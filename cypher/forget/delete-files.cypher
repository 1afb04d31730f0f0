// Deletes the read positions of files: an import reads such a file from the beginning again.
// params: $keys
UNWIND $keys AS key
MATCH (f:TranscriptFile {key: key})
DETACH DELETE f
RETURN count(*) AS gone
