// Where the criteria of a world stand, with its ledger where it is asked for.
// include worlds/_target
// include criteria/_ledger
RETURN turnsFound, turns, criteria,
// include criteria/_snapshot
