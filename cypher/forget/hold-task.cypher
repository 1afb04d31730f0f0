// The same for whoever would add to the criteria of the task, or begin a world of it. Locks: Task, after its worlds.
// params: $taskKey $token
MATCH (task:Task {key: $taskKey})
SET task.rev = $token
SET task.criteriaRev = task.criteriaRev + 1
RETURN task.key AS key
