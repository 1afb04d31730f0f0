// params: $limit
MATCH (x:Verification)
WHERE NOT EXISTS { MATCH (x)<-[:RECORDED]-() }
RETURN x.criterionId AS key
LIMIT $limit
