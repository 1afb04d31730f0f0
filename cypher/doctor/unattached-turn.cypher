// params: $limit
MATCH (x:Turn)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_TURN]-(:World) }
RETURN x.key AS key
LIMIT $limit
