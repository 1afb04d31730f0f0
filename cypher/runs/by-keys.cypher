// Turn runs by their keys, each with the current turn of its world.
// params: $keys
UNWIND $keys AS key
MATCH (r:TurnRun {key: key})<-[:HAS_RUN]-(w:World)
RETURN properties(r) AS run, w.currentTurn AS currentTurn, w.deletedAt IS NOT NULL AS deleted
