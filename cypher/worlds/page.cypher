// A page of worlds with how far each has come, in the order of their slugs, or of their last activity, newest first.
// `w.project` in the order is the first property of the index: 101 hits a page on Neo4j, whatever the worlds; without it, all.
// Deleted ones are left out. A project's are found by the property and not through its tasks: Neo4j reads a page in the order of
// an index (docs/decisions/two-engines.md).
// params: $limit $after
// when of-task
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
// when of-feature
// params: $featureKey
MATCH (:Feature {key: $featureKey})-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL
// when of-project
// params: $project $taskId
MATCH (w:World)
WHERE w.project = $project AND w.deletedAt IS NULL AND ($taskId = '' OR w.taskId = $taskId)
// end
// when by-slug
  AND w.slug > $after
WITH w ORDER BY w.project, w.slug LIMIT $limit
// when by-activity
// Those that were last active before an instant, or at it and whose slugs are higher.
// params: $before
  AND w.lastActivityAt <= datetime($before)
WITH w, w.lastActivityAt < datetime($before) AS isEarlier // with an OR beside it, Neo4j would not keep the order of the index
WHERE isEarlier OR w.slug > $after
WITH w ORDER BY w.project DESC, w.lastActivityAt DESC, w.slug LIMIT $limit
// end
// include worlds/_progress
// when by-slug
ORDER BY shown.slug
// when by-activity
ORDER BY lastActivity DESC, shown.slug
// end
