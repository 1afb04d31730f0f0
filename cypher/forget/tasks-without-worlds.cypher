// Tasks that hold nothing but what they declare: no world leads a forgetting to them. A page at a time, by key.
// params: $key $after $limit
// when task
MATCH (task:Task {key: $key})
// when project
MATCH (:Project {key: $key})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(task:Task)
// end
WITH task // beside a condition, Grafeo looks nothing up
WHERE task.key > $after AND NOT EXISTS { MATCH (task)-[:HAS_WORLD]->(:World) }
RETURN task.key AS key
ORDER BY key
LIMIT $limit
