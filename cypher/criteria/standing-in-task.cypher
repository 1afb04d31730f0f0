// The same for the newest world of a task.
// include turns/_newest-world
// include criteria/_ledger
RETURN turnsFound, turns, criteria,
// include criteria/_standing
