// The same, those alone that moved since an instant.
// params: $taskKey $after $since $limit
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.key > $after
// include export/_since
RETURN w.key AS key
ORDER BY key
LIMIT $limit
