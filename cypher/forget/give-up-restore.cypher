// Makes a task writable again if the deleted world was the last partial one of a killed restore. Locks:
// World, Task.
// params: $worldKey $token
MATCH (w:World {key: $worldKey})<-[:HAS_WORLD]-(task:Task)
SET w.rev = $token
WITH w, task, size([(task)-[:HAS_WORLD]->(x:World) WHERE x.restoring = true | 1]) AS parts
WITH task, coalesce(w.restoring, false) AND parts = 1 AS isLast
WHERE isLast
SET task.restoring = null
RETURN count(task) AS tasks
