// params: $limit
MATCH (x:Task)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_TASK]-(:Feature) } OR NOT EXISTS { MATCH (x)-[:HAS_WORLD]->(:World) }
RETURN x.key AS key
LIMIT $limit
