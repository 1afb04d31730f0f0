// The read positions of transcripts, by the keys of their files.
// params: $keys
UNWIND $keys AS key
MATCH (f:TranscriptFile {key: key})
RETURN f.key AS key, f.project AS project, f.sessionId AS sessionId, f.offset AS bytes, f.isWhole AS isWhole
