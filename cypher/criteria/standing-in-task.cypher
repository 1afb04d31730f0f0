// The same for the newest world of a task.
// include turns/_newest-world
// include criteria/_ledger
RETURN turns, criteria, ledger, promised,
// include criteria/_standing
