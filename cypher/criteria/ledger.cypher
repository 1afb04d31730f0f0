// Reads the whole ledgers of some worlds below a turn. The caller derives the states of the worlds from these ledgers again.
// params: $worldKeys
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})
// Before the turns: a write that commits between the two reads is then rejected, not lost.
WITH w, w.ledgerRev AS ledgerRev
// include criteria/_ledger
RETURN w.key AS key, w.taskKey AS taskKey, ledgerRev, w.turnCount AS turnCount, w.deletedAt IS NOT NULL AS deleted, turnsFound, turns, criteria
