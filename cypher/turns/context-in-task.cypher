// The continuation context. No row: `turns/previous-in-task` says whether there is a turn below at all.
// include turns/_newest-world
// include turns/_context
