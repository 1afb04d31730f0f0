// Where the criteria of a world stand, with its ledger where it is asked for.
// include turns/_named-world
RETURN
// include criteria/_standing
,
// include criteria/_ledger
