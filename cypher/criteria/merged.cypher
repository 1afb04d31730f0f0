// What merged into what, of a task's criteria: a criterion known by its label that turned out to be another.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_CRITERION]->(c:Criterion)
WHERE c.mergedInto IS NOT NULL
RETURN c.key AS key, c.mergedInto AS mergedInto
