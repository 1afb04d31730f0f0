// Where the criteria of a world stand, with its ledger where it is asked for.
// include worlds/_target
// include criteria/_ledger
RETURN turnsFound, turns, criteria,
// include worlds/_is-superseded
AS isSuperseded,
// include criteria/_snapshot
