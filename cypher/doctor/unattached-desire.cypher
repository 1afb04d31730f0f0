// params: $limit
MATCH (x:Desire)
WHERE NOT EXISTS { MATCH (x)-[:SURFACED_FROM]->(:TurnPattern) }
RETURN x.key AS key
LIMIT $limit
