MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)-[:HAS_TASK]->(task:Task)-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL AND ($feature = '' OR f.id = $feature) AND ($task = '' OR task.id = $task)
  AND ($world = '' OR w.slug = $world)
