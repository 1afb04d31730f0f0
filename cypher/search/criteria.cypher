// Criteria with their texts and labels, the versions of the specification that list each, and the sessions in which each
// has a state.
// params: $keys
UNWIND $keys AS key
// when of-tasks
MATCH (task:Task {key: key})
MATCH (task)-[:HAS_CRITERION]->(c:Criterion)
// when by-key
MATCH (c:Criterion {key: key})
MATCH (c)<-[:HAS_CRITERION]-(task:Task)
// end
WHERE c.mergedInto IS NULL
RETURN c.key AS key, c.texts AS texts, c.labels AS labels, coalesce(task.specificationVersion, 0) AS newestVersion,
       coalesce(task.restoring, false) AS isHidden,
       [(c)<-[:LISTS]-(s:Specification) | s.version] AS versions,
       [(c)<-[:PROGRESS]-(w:World) WHERE w.deletedAt IS NULL AND w.forgottenAt IS NULL | [w.ordinal, w.slug]] AS sessions
