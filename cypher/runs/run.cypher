// A run, and how far its world is.
// params: $runKey
MATCH (r:TurnRun {key: $runKey})<-[:HAS_RUN]-(w:World)
RETURN properties(r) AS run, w.currentTurn AS currentTurn, w.deletedAt IS NOT NULL AS deleted
