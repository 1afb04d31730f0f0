// params: $limit
MATCH (x:Feature)
WHERE NOT EXISTS { MATCH (x)<-[:HAS_FEATURE]-(:Project) } OR NOT EXISTS { MATCH (x)-[:HAS_TASK]->(:Task) }
RETURN x.key AS key
LIMIT $limit
