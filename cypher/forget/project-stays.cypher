// params: $projectKey
MATCH (p:Project {key: $projectKey})
SET p.rev = null
RETURN p.key AS key
