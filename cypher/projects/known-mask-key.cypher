// The key by which secrets in the records of a project are marked, if there is one.
// params: $projectKey
MATCH (p:Project {key: $projectKey})
RETURN p.maskKey AS maskKey
