// Locks worlds in the order of their keys. Returns whether each is being restored, and the number of its newest turn.
// params: $keys $token
UNWIND $keys AS key
MATCH (w:World {key: key})
SET w.rev = $token
WITH w
CALL (w) { MATCH (w)-[:HAS_TURN]->(t:Turn) RETURN max(t.number) AS newestTurn }
RETURN w.key AS key, w.taskKey AS taskKey, coalesce(w.restoring, false) AS restoring, newestTurn
