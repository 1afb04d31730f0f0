// Takes a world out of sight before its first part goes: from here on nobody reads it and nobody writes to it, and
// `forgottenAt` says that the rest is still to go. No row: it is gone, or a run or an attempt is active. Locks: World.
// params: $worldKey $token $now
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE w.activeRunId IS NULL AND w.activeAttemptId IS NULL
SET w.deletedAt = coalesce(w.deletedAt, datetime($now)), w.forgottenAt = coalesce(w.forgottenAt, datetime($now))
// include worlds/_changed
RETURN w.key AS key
