// A page of the worlds of a project, or one of them, with the version of each and of its runs.
// params: $project $worldSlug $after $limit
MATCH (w:World)
WHERE w.project = $project AND w.deletedAt IS NULL AND w.slug > $after AND ($worldSlug = '' OR w.slug = $worldSlug)
WITH w ORDER BY w.project, w.slug LIMIT $limit
RETURN w.key AS key, w.slug AS slug, coalesce(w.changedAt, 0) AS version,
       [(w)-[:HAS_RUN]->(r:TurnRun) | [r.key, coalesce(r.changedAt, 0)]] AS runs
ORDER BY slug
