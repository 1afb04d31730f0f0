// Turn runs by their keys.
// params: $keys
UNWIND $keys AS key
MATCH (r:TurnRun {key: key})<-[:HAS_RUN]-(w:World)
RETURN properties(r) AS run, w.currentTurn AS currentTurn
