// The same of those that have transcripts: one that has nothing else has no node.
// params: $after
MATCH (f:TranscriptFile)
WHERE f.project > $after
RETURN DISTINCT f.project AS name
