// Whether a world goes: its newest turn is older than an instant; one that has no turn goes by its creation. Those of
// a task come one after another.
// params: $before $afterTask $afterWorld $limit
WITH w // beside a condition, Grafeo looks nothing up
WHERE (w.taskKey > $afterTask OR (w.taskKey = $afterTask AND w.key > $afterWorld))
  AND coalesce(w.lastCompletedAt, w.createdAt) < datetime($before)
WITH w
ORDER BY w.taskKey, w.key
LIMIT $limit
RETURN w.key AS key, w.slug AS slug, w.taskKey AS taskKey, w.project AS project, w.featureId AS featureId,
       w.activeRunId AS activeRunId, w.activeAttemptId AS activeAttemptId
