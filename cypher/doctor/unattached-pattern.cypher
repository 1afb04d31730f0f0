// params: $limit
MATCH (x:TurnPattern)
WHERE NOT EXISTS { MATCH (x)<-[:FOLLOWS]-(:TranscriptTurn) }
RETURN x.key AS key
LIMIT $limit
