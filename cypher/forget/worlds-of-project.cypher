// The worlds of a project that are to go, a page at a time; deleted ones, too.
// params: $projectKey
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
// include forget/_goes
