// The key that marks secrets in the records of a project. Created once, with its project if that is missing:
// two concurrent writers get the same key because the first SET takes the lock of the node.
// params: $projectKey $project $maskKey
MERGE (p:Project {key: $projectKey})
ON CREATE SET p.name = $project
SET p.name = p.name
WITH p
SET p.maskKey = coalesce(p.maskKey, $maskKey)
RETURN p.maskKey AS maskKey
