// The worlds to forget, one page at a time, with those of a task in a row; includes deleted ones. A world is
// selected if its newest turn is older than an instant, or if it has no turn and was created before that
// instant.
// params: $key $before $afterTask $afterWorld $limit
// when world
MATCH (w:World {key: $key})
// when task
MATCH (:Task {key: $key})-[:HAS_WORLD]->(w:World)
// when project
MATCH (:Project {key: $key})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
// end
WITH w // Grafeo uses no index if the MATCH has a further condition
WHERE (w.taskKey > $afterTask OR (w.taskKey = $afterTask AND w.key > $afterWorld))
  AND w.lastActivityAt < datetime($before)
WITH w
ORDER BY w.taskKey, w.key
LIMIT $limit
RETURN w.key AS key, w.slug AS slug, w.taskKey AS taskKey, coalesce(w.creation, '') AS creation,
       w.turnCount AS turnCount, w.activeRunId AS activeRunId, w.activeAttemptId AS activeAttemptId
