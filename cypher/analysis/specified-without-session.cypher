// question: Which tasks have a specification, and no session?
// Covers the newest specification of each task that never had a session, or whose sessions were all deleted.
// columns: feature, task, criteria, path, declared_at
// params: $projectKey $feature $task $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)-[:HAS_TASK]->(task:Task)
WHERE task.specificationVersion IS NOT NULL
  AND ($feature = '' OR f.id = $feature) AND ($task = '' OR task.id = $task)
WITH f, task, size([(task)-[:HAS_WORLD]->(w:World) WHERE w.deletedAt IS NULL | 1]) AS sessions
WHERE sessions = 0
MATCH (task)-[:SPECIFIED_BY]->(s:Specification)
WHERE s.version = task.specificationVersion
RETURN f.id AS feature, task.id AS task, s.criteriaCount AS criteria, s.path AS path, s.declaredAt AS declared_at
ORDER BY feature, task LIMIT $limit
