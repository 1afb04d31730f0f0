// The same for the newest world of a task.
// include turns/_newest-world
RETURN
// include criteria/_standing
,
// include criteria/_ledger
