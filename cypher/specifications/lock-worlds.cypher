// Locks the worlds of a task before the task itself: the order of a capture.
// params: $taskKey $token
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WITH w ORDER BY w.key
SET w.rev = $token
RETURN count(w) AS worlds
