// Reads what decides whether a capture may make a world: the worlds of its task, what the task declares, and which other features of
// the project have a task of its id. Asked only for a world that does not exist. Both look-ups use an index: with a
// condition on the key the embedded graph reads all tasks of the project.
// params: $taskKey $taskId $after
OPTIONAL MATCH (task:Task {key: $taskKey})
WITH coalesce(task.specificationVersion, 0) AS specificationVersion, coalesce(task.restoring, false) AS isRestoring,
     [(task)-[:HAS_WORLD]->(w:World) WHERE w.deletedAt IS NULL | w.slug] AS worldSlugs
OPTIONAL MATCH (other:Task {id: $taskId})
WITH specificationVersion, isRestoring, worldSlugs, collect(other.key) AS allKeys
RETURN specificationVersion, isRestoring, worldSlugs, [key IN allKeys WHERE key STARTS WITH $after] AS taskKeys
