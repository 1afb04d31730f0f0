// Locks the worlds of a task, and lets whatever was resolved there be resolved anew: it may mean a criterion that goes.
// Locks: World (in the order of the keys).
// params: $taskKey $token
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WITH w
ORDER BY w.key
SET w.rev = $token
SET w.ledgerRev = w.ledgerRev + 1
RETURN count(w) AS worlds
