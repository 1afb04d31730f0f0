// Marks a world deleted: its slug stays taken, and it is never a default again. The same answer when repeated.
// params: $worldKey $deletedAt $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE w.activeRunId IS NULL AND w.activeAttemptId IS NULL
SET w.deletedAt = coalesce(w.deletedAt, datetime($deletedAt))
// include worlds/_world
