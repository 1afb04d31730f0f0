// params: $projectKey
MATCH (p:Project {key: $projectKey})
WITH p
WHERE NOT EXISTS { MATCH (p)-[:HAS_FEATURE]->(:Feature) }
RETURN p.key AS key
