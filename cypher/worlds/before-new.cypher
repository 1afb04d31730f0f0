// Reads the data that decides whether a capture may create a world: the worlds of its task, the version of
// the task's specification, and the other features of the project that have a task with its id. Queried only
// for a world that does not exist. Both look-ups use an index: with a condition on the key, the embedded
// graph reads all tasks of the project.
// params: $taskKey $taskId $after
OPTIONAL MATCH (task:Task {key: $taskKey})
WITH coalesce(task.specificationVersion, 0) AS specificationVersion, coalesce(task.restoring, false) AS isRestoring,
     [(task)-[:HAS_WORLD]->(w:World) WHERE w.deletedAt IS NULL | w.slug] AS worldSlugs
OPTIONAL MATCH (other:Task {id: $taskId})
WITH specificationVersion, isRestoring, worldSlugs, collect(other.key) AS allKeys
RETURN specificationVersion, isRestoring, worldSlugs, [key IN allKeys WHERE key STARTS WITH $after] AS taskKeys
