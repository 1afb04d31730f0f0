// params: $limit
MATCH (x:TurnRun)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_RUN]-(:World) }
RETURN x.key AS key
LIMIT $limit
