// params: $limit
MATCH (x:Gate)
WHERE NOT EXISTS { MATCH (x)<-[:PASSED_THROUGH]-() }
RETURN x.name AS key
LIMIT $limit
