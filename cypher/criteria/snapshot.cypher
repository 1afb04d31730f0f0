// The state of the criteria of a world, with its ledger if the caller asks for it.
// include worlds/_target
// include criteria/_ledger
RETURN turnsFound, turns, criteria,
// include worlds/_is-superseded
AS isSuperseded,
// include criteria/_snapshot
