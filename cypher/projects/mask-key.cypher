// The key by which secrets in the records of a project are marked. Made once, with its project where that is missing: two
// writers that make one at once get the same, because the first SET takes the lock of the node.
// params: $projectKey $project $maskKey
MERGE (p:Project {key: $projectKey})
ON CREATE SET p.name = $project
SET p.name = p.name
WITH p
SET p.maskKey = coalesce(p.maskKey, $maskKey)
RETURN p.maskKey AS maskKey
