// params: $limit
MATCH (x:Project)
WHERE NOT EXISTS { MATCH (x)-[:HAS_FEATURE]->(:Feature) }
RETURN x.key AS key
LIMIT $limit
