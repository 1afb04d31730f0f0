// Where the criteria of a world stand, with its ledger where it is asked for.
// include turns/_named-world
// include criteria/_ledger
RETURN turns, criteria, ledger, promised,
// include criteria/_standing
