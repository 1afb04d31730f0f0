// The merged criteria of a task: a criterion known only by its label was found to be another one.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_CRITERION]->(c:Criterion)
WHERE c.mergedInto IS NOT NULL
RETURN c.key AS key, c.mergedInto AS mergedInto
