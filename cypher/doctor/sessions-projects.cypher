// params:
MATCH (s:TranscriptSession)
WHERE s.project IS NOT NULL
RETURN DISTINCT s.project AS project
