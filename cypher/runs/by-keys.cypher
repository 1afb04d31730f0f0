// Turn runs by their keys, with how far the world of each is.
// params: $keys
UNWIND $keys AS key
MATCH (r:TurnRun {key: key})<-[:HAS_RUN]-(w:World)
RETURN properties(r) AS run, w.currentTurn AS currentTurn, w.deletedAt IS NOT NULL AS deleted
