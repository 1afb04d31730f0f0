// The worlds of a project, for names near to one that is not there: so many at most, in no order.
// params: $projectKey $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
RETURN w.slug AS name
LIMIT $limit
