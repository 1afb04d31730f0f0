// The whole ledger of a world below a turn: to derive its progress anew, or as of an earlier turn.
// params: $worldKey
MATCH (w:World {key: $worldKey})
RETURN w.ledgerRev AS ledgerRev,
// include criteria/_ledger
