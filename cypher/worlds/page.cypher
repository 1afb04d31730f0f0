// A page of worlds with the progress of each, in the order of their slugs, or of their last activity, newest
// first. Deleted worlds are excluded. `w.project` in the order is the first property of the index: with it,
// Neo4j needs 101 hits per page, without it, it reads all worlds. The worlds of a project are found by that
// property and not through its tasks, because Neo4j reads a page in the order of an index
// (docs/decisions/two-engines.md). It also reads worlds that do not match, but only their own properties.
// params: $limit $after $search $running $notApproved $stalledOrOscillating
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
WITH w, true AS isBehind
// when by-activity
// Selects worlds that were last active before an instant, or at that instant with a higher slug.
// params: $before
  AND w.lastActivityAt <= datetime($before)
WITH w, w.lastActivityAt < datetime($before) AS isBehind // an OR in the same WHERE makes Neo4j lose the index order
// end
WHERE (isBehind OR w.slug > $after)
  // `toString` and `= true` accept a damaged value of another type, with which Neo4j would reject the statement.
  AND ($search = '' OR toLower(toString(w.slug)) CONTAINS $search OR toLower(toString(w.taskId)) CONTAINS $search
       OR toLower(toString(w.featureId)) CONTAINS $search)
  AND (NOT $running OR coalesce(w.leased = true, false))
  AND (NOT $notApproved OR NOT coalesce(w.judgedTurn = w.currentTurn AND w.turnsSinceApproval = 0, false))
  // A verdict that warns needs three turns with feedback since the last approval. Skips worlds with fewer.
  AND (NOT $stalledOrOscillating
       OR coalesce(w.turnsSinceApproval >= 3, false))
// when by-slug
WITH w ORDER BY w.project, w.slug LIMIT $limit
// when by-activity
WITH w ORDER BY w.project DESC, w.lastActivityAt DESC, w.slug LIMIT $limit
// end
// include worlds/_progress
// when by-slug
ORDER BY shown.slug
// when by-activity
ORDER BY lastActivity DESC, shown.slug
// end
