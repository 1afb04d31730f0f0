// params: $limit
MATCH (x:Promise)
WHERE NOT EXISTS { MATCH (x)<-[:PROMISED]-() }
RETURN x.criterionId AS key
LIMIT $limit
