// The worlds that are to go, a page at a time, those of a task one after another; deleted ones, too. A world goes if its
// newest turn is older than an instant; one that has no turn goes by its creation.
// params: $key $before $afterTask $afterWorld $limit
// when world
MATCH (w:World {key: $key})
// when task
MATCH (:Task {key: $key})-[:HAS_WORLD]->(w:World)
// when project
MATCH (:Project {key: $key})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
// end
WITH w // beside a condition, Grafeo looks nothing up
WHERE (w.taskKey > $afterTask OR (w.taskKey = $afterTask AND w.key > $afterWorld))
  AND w.lastActivityAt < datetime($before)
WITH w
ORDER BY w.taskKey, w.key
LIMIT $limit
RETURN w.key AS key, w.slug AS slug, w.taskKey AS taskKey,
       w.turnCount AS turnCount, w.activeRunId AS activeRunId, w.activeAttemptId AS activeAttemptId
