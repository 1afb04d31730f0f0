// The tasks of all features of a project, for names near to one that is not there: so many at most, in no order.
// params: $projectKey $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(t:Task)
RETURN t.id AS name
LIMIT $limit
