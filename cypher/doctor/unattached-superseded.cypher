// params: $limit
MATCH (x:SupersededTurn)
WHERE NOT EXISTS { MATCH (x)<-[:SUPERSEDES]-() }
RETURN x.key AS key
LIMIT $limit
