// Candidates for names that are similar to an unknown one: at most $limit, in no order.
// params: $limit
// when features
// params: $projectKey
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(named:Feature)
// when tasks
// params: $featureKey
MATCH (:Feature {key: $featureKey})-[:HAS_TASK]->(named:Task)
// when tasks-of-project
// params: $projectKey
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(named:Task)
// when worlds
// params: $projectKey
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(named:World)
WHERE named.deletedAt IS NULL
// end
RETURN coalesce(named.id, named.slug) AS name
LIMIT $limit
