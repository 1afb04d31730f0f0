// params: $limit
MATCH (x:Step)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_STEP]-(:TranscriptTurn) }
RETURN x.id AS key
LIMIT $limit
