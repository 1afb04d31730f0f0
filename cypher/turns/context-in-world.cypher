// The continuation context, without entries. No row: `turns/context-as-of-in-world` finds a turn below a gap.
// include turns/_named-world
// include turns/_prior
// include criteria/_no-entries
// include turns/_context
