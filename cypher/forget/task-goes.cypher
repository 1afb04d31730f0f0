// A task whose last world is gone. Whoever begins a world of it locks it first, and either is seen here or makes it
// anew. Locks: Task.
// params: $taskKey $token
MATCH (task:Task {key: $taskKey})
SET task.rev = $token
WITH task
WHERE NOT EXISTS { MATCH (task)-[:HAS_WORLD]->(:World) }
CALL (task) { MATCH (task)-[:HAS_CRITERION]->(c:Criterion) DETACH DELETE c }
DETACH DELETE task
RETURN count(*) AS gone
