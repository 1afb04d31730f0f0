// params: $limit
MATCH (x:Attempt)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_ATTEMPT]-(:World) }
RETURN x.key AS key
LIMIT $limit
