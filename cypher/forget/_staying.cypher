// Of the worlds those that would stay.
// params: $onlyWorld $onlyTask $before
WITH w // beside a condition, Grafeo looks nothing up
WHERE NOT (($onlyWorld = '' OR w.key = $onlyWorld) AND ($onlyTask = '' OR w.taskKey = $onlyTask)
  AND coalesce(w.lastCompletedAt, w.createdAt) < datetime($before)
  AND w.activeRunId IS NULL AND w.activeAttemptId IS NULL)
