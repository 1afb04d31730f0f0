// The continuation context, without the ledger. No row: `turns/previous-in-world` says whether there is a turn below at all.
// include turns/_named-world
// include turns/_prior
// include criteria/_no-ledger
// include turns/_context
