// The projects of the graph: those that have a node, and those that have transcripts alone.
// params:
// when named
MATCH (p:Project)
RETURN p.key AS key
// when of-files
MATCH (f:TranscriptFile)
RETURN DISTINCT f.project AS project
// when of-sessions
MATCH (s:TranscriptSession)
WHERE s.project IS NOT NULL
RETURN DISTINCT s.project AS project
// end
