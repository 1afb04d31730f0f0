// The whole ledger of a world below a turn, from which its state is derived again.
// params: $worldKey
MATCH (w:World {key: $worldKey})
// Before the turns: a write that commits between the two reads is then rejected, not lost.
WITH w, w.ledgerRev AS ledgerRev
// include criteria/_ledger
RETURN w.taskKey AS taskKey, ledgerRev, w.turnCount AS turnCount, w.deletedAt IS NOT NULL AS deleted, turnsFound, turns, criteria
