// The features of a project, for names near to one that is not there: so many at most, in no order.
// params: $projectKey $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)
RETURN f.id AS name
LIMIT $limit
