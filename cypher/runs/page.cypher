// A page of the runs of a project, or of one of its worlds, newest first: those that were enqueued before an instant, or at it
// and whose ids are lower. Runs of deleted worlds are not listed.
// params: $projectKey $worldSlug $status $before $beforeId $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(:Feature)-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL AND ($worldSlug IS NULL OR w.slug = $worldSlug)
MATCH (w)-[:HAS_RUN]->(r:TurnRun)
WHERE ($status IS NULL OR r.status = $status)
  AND (r.enqueuedAt < datetime($before) OR (r.enqueuedAt = datetime($before) AND r.turnRunId < $beforeId))
WITH w, r, r.enqueuedAt AS enqueued, r.turnRunId AS id
ORDER BY enqueued DESC, id DESC
LIMIT $limit
RETURN properties(r) AS run, w.currentTurn AS currentTurn
