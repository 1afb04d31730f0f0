// Locks the criteria of a task, for a capture that would add to them or begin a world of it. Locks: Task.
// params: $taskKey $token
MATCH (task:Task {key: $taskKey})
SET task.rev = $token
SET task.criteriaRev = task.criteriaRev + 1
RETURN task.key AS key
