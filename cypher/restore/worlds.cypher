// Worlds in their initial state. Each counts as deleted until its final state is written, so that nobody
// reads it or writes to it before; `restoring` marks that it is not really deleted.
// params: $batch $token
UNWIND $batch.rows AS x
MATCH (task:Task {key: x.properties.taskKey})
MERGE (w:World {key: x.key})
SET w += x.properties, w.createdAt = datetime(x.at.createdAt), w.deletedAt = datetime(x.at.createdAt),
    w.lastActivityAt = datetime(x.at.createdAt),
    w.restoring = true, w.currentTurn = 0, w.turnCount = 0, w.ledgerRev = 0, w.contestedCount = 0,
    w.flippedCount = 0, w.brokenPromiseCount = 0,
    w.creation = $token, w.rev = $token
MERGE (task)-[:HAS_WORLD]->(w)
RETURN count(w) AS written
