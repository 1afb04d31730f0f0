// The key that marks secrets in the records of a project, if there is one.
// params: $projectKey
MATCH (p:Project {key: $projectKey})
RETURN p.maskKey AS maskKey
