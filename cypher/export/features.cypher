// The features of a project after one, by key: a hub's children are walked, no label is scanned.
// params: $projectKey $after $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)
WHERE f.key > $after
RETURN properties(f) AS feature
ORDER BY f.key
LIMIT $limit
