// Marks the change of the world, by the database's clock: events find it by the minute
// (docs/decisions/events.md). Each change has a higher instant than the one before, even if a statement
// waited for the lock or the clock stepped back.
SET w.changedAt = CASE WHEN w.changedAt >= timestamp() THEN w.changedAt + 1 ELSE timestamp() END
SET w.changedIn = w.changedAt / 60000
