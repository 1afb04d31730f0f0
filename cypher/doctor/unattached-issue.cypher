// params: $limit
MATCH (x:Issue)
WHERE NOT EXISTS { MATCH (x)<-[:RAISED]-() }
RETURN x.description AS key
LIMIT $limit
