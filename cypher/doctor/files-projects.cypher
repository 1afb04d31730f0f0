// Projects may have transcripts alone.
// params:
MATCH (f:TranscriptFile)
RETURN DISTINCT f.project AS project
