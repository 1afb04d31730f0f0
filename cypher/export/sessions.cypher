// The transcribed sessions of a project after one, by key. $below is the least text that no key of the project begins with.
// On Neo4j a walk along the index of the keys; Grafeo scans the label, 25,000 in some 10 ms, once a page.
// params: $after $below $limit
MATCH (s:TranscriptSession)
WHERE s.key > $after AND s.key < $below AND s.isTranscribed = true
RETURN s.key AS key
ORDER BY key
LIMIT $limit
