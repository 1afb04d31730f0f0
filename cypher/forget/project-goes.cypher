// A project whose last feature is gone. Locks: Project.
// params: $projectKey $token
MATCH (p:Project {key: $projectKey})
SET p.rev = $token
WITH p
WHERE NOT EXISTS { MATCH (p)-[:HAS_FEATURE]->(:Feature) }
DETACH DELETE p
RETURN count(*) AS gone
