// A page of the worlds of a project, or of one of its features or tasks, in the order of their slugs.
// Deleted ones are not listed.
// params: $projectKey $featureId $taskId $after $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
  AND ($featureId IS NULL OR w.featureId = $featureId)
  AND ($taskId IS NULL OR w.taskId = $taskId)
  AND ($after IS NULL OR w.slug > $after)
// include worlds/_world
ORDER BY w.slug
LIMIT $limit
