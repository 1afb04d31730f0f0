// How many worlds a task has had, deleted ones included. No row: there is no such task yet.
// params: $taskKey
MATCH (task:Task {key: $taskKey})
RETURN task.worldCount AS worldCount
