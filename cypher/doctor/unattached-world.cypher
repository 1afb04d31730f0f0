// params: $limit
MATCH (x:World)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_WORLD]-(:Task) }
RETURN x.key AS key
LIMIT $limit
