// The same of all sessions of transcripts.
// params:
MATCH (s:TranscriptSession)
RETURN count(keys(s)) AS loaded
