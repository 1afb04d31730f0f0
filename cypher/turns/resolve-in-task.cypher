// The same for a capture that names no world: it goes to the world of the task that already holds this very
// record at this turn, else to the newest one (latest completed turn, or creation where none completed).
// params: $taskKey $turnNumber $digest
OPTIONAL MATCH (task:Task {key: $taskKey})
OPTIONAL MATCH (task)-[:HAS_WORLD]->(x:World)
WHERE x.deletedAt IS NULL
WITH task, x,
     EXISTS { MATCH (x)-[:HAS_TURN]->(:Turn {number: $turnNumber, digest: $digest}) } AS holdsIt,
     coalesce(x.lastCompletedAt, x.createdAt) AS newest
ORDER BY holdsIt DESC, newest DESC, x.ordinal DESC
LIMIT 1
WITH task, x AS w
// include turns/_resolve
