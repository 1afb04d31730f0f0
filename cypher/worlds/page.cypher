// A page of worlds with the progress of each, in the order of their slugs, or of their last activity, newest
// first. Deleted worlds are excluded. `w.project` in the order is the first property of the index: with it,
// Neo4j needs 101 hits per page, without it, it reads all worlds. The worlds of a project are found by that
// property and not through its tasks, because Neo4j reads a page in the order of an index
// (docs/decisions/two-engines.md).
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
// Selects worlds that were last active before an instant, or at that instant with a higher slug.
// params: $before
  AND w.lastActivityAt <= datetime($before)
WITH w, w.lastActivityAt < datetime($before) AS isEarlier // an OR in the same WHERE makes Neo4j lose the index order
WHERE isEarlier OR w.slug > $after
WITH w ORDER BY w.project DESC, w.lastActivityAt DESC, w.slug LIMIT $limit
// end
// include worlds/_progress
// when by-slug
ORDER BY shown.slug
// when by-activity
ORDER BY lastActivity DESC, shown.slug
// end
