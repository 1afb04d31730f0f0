// Lets a task be written again if the world that is deleted was the last one that a killed restore left in part. Locks: World, Task.
// params: $worldKey $token
MATCH (w:World {key: $worldKey})<-[:HAS_WORLD]-(task:Task)
SET w.rev = $token
WITH w, task, size([(task)-[:HAS_WORLD]->(x:World) WHERE x.restoring = true | 1]) AS parts
WITH task, coalesce(w.restoring, false) AND parts = 1 AS isLast
WHERE isLast
SET task.restoring = null
RETURN count(task) AS tasks
