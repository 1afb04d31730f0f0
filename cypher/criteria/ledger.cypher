// The whole ledger of a world below a turn: to derive its progress anew.
// params: $worldKey
MATCH (w:World {key: $worldKey})
// include criteria/_ledger
RETURN w.ledgerRev AS ledgerRev, turns, criteria, ledger, promised
