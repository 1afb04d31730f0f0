// params: $limit
MATCH (x:Criterion)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_CRITERION]-(:Task) }
RETURN x.key AS key
LIMIT $limit
