// The same, those alone that somebody was active in since an instant.
// params: $after $below $since $limit
MATCH (f:TranscriptFile)
WHERE f.key > $after AND f.key < $below
  AND EXISTS { MATCH (f)-[:HOLDS]->(x:TranscriptSession) WHERE x.endedAt >= datetime($since) }
RETURN f.key AS key
ORDER BY key
LIMIT $limit
