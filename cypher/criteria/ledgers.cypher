// The whole ledgers of several worlds below a turn, in the form of criteria/ledger.
// params: $worldKeys
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})
// include criteria/_ledger
RETURN w.key AS key, w.taskKey AS taskKey, w.ledgerRev AS ledgerRev, w.turnCount AS turnCount, w.deletedAt IS NOT NULL AS deleted, turnsFound, turns, criteria
