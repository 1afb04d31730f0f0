// The worlds of a project, or of one of its features or tasks. Deleted ones are left out.
// params: $projectKey $featureId $taskId
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
  AND ($featureId IS NULL OR w.featureId = $featureId)
  AND ($taskId IS NULL OR w.taskId = $taskId)
