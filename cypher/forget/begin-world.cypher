// Hides a world before its first part is deleted: from here on, nobody can read it or write to it.
// `forgottenAt` marks that the rest still has to be deleted. No row: it is gone, or a run or an attempt is
// active, or another world has its slug since it was listed. Locks: World.
// params: $worldKey $creation $token $now
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE w.activeRunId IS NULL AND w.activeAttemptId IS NULL AND coalesce(w.creation, '') = $creation
SET w.deletedAt = coalesce(w.deletedAt, datetime($now)), w.forgottenAt = coalesce(w.forgottenAt, datetime($now))
// include worlds/_changed
RETURN w.key AS key
