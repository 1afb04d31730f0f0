// The continuation context, and the ledger of a world that has no more turns than asked for. No row: as in
// `turns/context-in-world`.
// include turns/_named-world
// include turns/_prior
// include criteria/_ledger
// include turns/_context
