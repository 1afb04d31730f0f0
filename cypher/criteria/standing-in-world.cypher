// Where the criteria of a world stand, with its ledger where it is asked for.
// include turns/_named-world
// include criteria/_ledger
RETURN turnsFound, turns, criteria,
// include criteria/_standing
