// A page of a project's worlds with how far each has come, the last active first: those that a person looks for.
// On Neo4j it reads them in the order of their index (docs/decisions/two-engines.md) and ends with the page: what does not match is
// read on the way.
// params: $project $before $after $limit $featureId $search $running
MATCH (w:World)
WHERE w.project = $project AND w.deletedAt IS NULL AND w.lastActivityAt <= datetime($before)
WITH w, w.lastActivityAt < datetime($before) AS isEarlier // with an OR beside it, Neo4j would not keep the order of the index
WHERE (isEarlier OR w.slug > $after)
  AND ($featureId = '' OR w.featureId = $featureId)
  AND ($search = '' OR toLower(w.slug) CONTAINS $search OR toLower(w.taskId) CONTAINS $search
       OR toLower(w.featureId) CONTAINS $search)
  AND (NOT $running OR coalesce(w.leased, false))
WITH w ORDER BY w.project DESC, w.lastActivityAt DESC, w.slug LIMIT $limit
// include worlds/_progress
ORDER BY lastActivity DESC, shown.slug
