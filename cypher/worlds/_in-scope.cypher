// The worlds of a task, of a feature, or of a project. Deleted ones are left out. A project's are found by the property and
// not through its tasks: Neo4j reads a page in the order of an index (docs/decisions/two-engines.md).
// when of-task
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
// when of-feature
// params: $featureKey
MATCH (:Feature {key: $featureKey})-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
// when of-project
// params: $project $taskId
MATCH (w:World)
WHERE w.project = $project AND w.deletedAt IS NULL AND ($taskId = '' OR w.taskId = $taskId)
// end
