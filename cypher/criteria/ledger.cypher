// The whole ledger of a world below a turn, from which its state is derived again.
// params: $worldKey
MATCH (w:World {key: $worldKey})
// include criteria/_ledger
RETURN w.taskKey AS taskKey, w.ledgerRev AS ledgerRev, w.turnCount AS turnCount, w.deletedAt IS NOT NULL AS deleted, turnsFound, turns, criteria
