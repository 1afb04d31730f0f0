// The continuation context, without entries. No row: `turns/context-as-of-in-task` finds a turn below a gap.
// include turns/_newest-world
// include turns/_prior
// include criteria/_no-entries
// include turns/_context
