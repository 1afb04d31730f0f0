// params: $limit
MATCH (x:TranscriptTurn)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_TURN]-(:TranscriptSession) }
RETURN x.key AS key
LIMIT $limit
