// The continuation context, without entries. No row: `turns/previous-in-task` says whether there is a turn below at all.
// include turns/_newest-world
// include turns/_prior
// include criteria/_no-entries
// include turns/_context
