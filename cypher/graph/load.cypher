// Reads the properties of all worlds, or of all sessions of transcripts, and with them those of the turns around: Grafeo keeps
// them in chunks.
// params:
// when worlds
MATCH (n:World)
// when sessions
MATCH (n:TranscriptSession)
// end
RETURN count(keys(n)) AS loaded
