// Marks a world as deleted: its slug stays taken, and it is never the default again.
// params: $worldKey $deletedAt $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE w.deletedAt IS NULL AND w.activeRunId IS NULL AND w.activeAttemptId IS NULL
SET w.deletedAt = datetime($deletedAt)
// include worlds/_changed
RETURN
// include worlds/_world
AS world
