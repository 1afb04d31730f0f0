// The number of attempts that a world has had.
// params: $worldKey
MATCH (w:World {key: $worldKey})
RETURN coalesce(w.attemptCount, 0) AS attemptCount, w.deletedAt IS NOT NULL AS deleted
