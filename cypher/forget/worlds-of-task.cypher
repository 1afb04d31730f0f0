// The worlds of a task that are to go, a page at a time; deleted ones, too.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
// include forget/_goes
