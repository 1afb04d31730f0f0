// The current state at a turn of a world. Queried if a record may already exist, or if a write was rejected.
// params: $worldKey $taskKey $turnKey $turnNumber
OPTIONAL MATCH (w:World {key: $worldKey})
OPTIONAL MATCH (t:Turn {key: $turnKey})
OPTIONAL MATCH (task:Task {key: $taskKey})
RETURN w IS NOT NULL AS worldExists,
       w.taskKey = $taskKey AS worldIsOfTask,
       w.deletedAt IS NOT NULL AS worldDeleted,
       w.currentTurn AS currentTurn,
       t.digest AS digest,
       t.revision AS revision,
       t.writeId AS writeId,
       w.rollbacks AS rollbacks,
       [(w)-[:SUPERSEDES]->(o:SupersededTurn) WHERE o.number = $turnNumber | o.key] AS withdrawn,
       w.activeRunId AS activeRunId,
       w.activeAttemptId AS activeAttemptId,
       coalesce(task.restoring, false) AS taskIsRestoring
