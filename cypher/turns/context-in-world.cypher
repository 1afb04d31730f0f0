// The continuation context. No row: `turns/previous-in-world` says whether there is a turn below at all.
// include turns/_named-world
// include turns/_context
