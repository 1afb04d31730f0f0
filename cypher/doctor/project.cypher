// params: $projectKey
MATCH (p:Project {key: $projectKey})
RETURN properties(p) AS held
