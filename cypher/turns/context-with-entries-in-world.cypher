// The continuation context, and all that a world says of its criteria if it has no more turns than asked for. No row: as in
// `turns/context-in-world`.
// include turns/_named-world
// include turns/_prior
// include criteria/_entries
// include turns/_context
