// What tells one state of a world from another: each capture moves the first or the second, each supersede the second.
// params: $worldKey
MATCH (w:World {key: $worldKey})
RETURN w.currentTurn AS currentTurn, w.ledgerRev AS ledgerRev, w.newestDigest AS newestDigest
