// A page of the features of a project.
// params: $projectKey $after $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)
WHERE f.key > $after
RETURN f.key AS key, properties(f) AS held
ORDER BY key
LIMIT $limit
