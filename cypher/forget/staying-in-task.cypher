// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
// include forget/_staying
RETURN w.key AS key
