// A page of a project's worlds with the progress of each, most recently active first, for people. Neo4j reads
// the worlds in the order of their index (docs/decisions/two-engines.md) and stops at the end of the page. It
// also reads the worlds on the way that do not match, but only their own properties.
// params: $project $before $after $limit $featureId $search $running $notApproved
MATCH (w:World)
WHERE w.project = $project AND w.deletedAt IS NULL AND w.lastActivityAt <= datetime($before)
WITH w, w.lastActivityAt < datetime($before) AS isEarlier // an OR in the same WHERE makes Neo4j lose the index order
WHERE (isEarlier OR w.slug > $after)
  AND ($featureId = '' OR w.featureId = $featureId)
  AND ($search = '' OR toLower(w.slug) CONTAINS $search OR toLower(w.taskId) CONTAINS $search
       OR toLower(w.featureId) CONTAINS $search)
  AND (NOT $running OR coalesce(w.leased, false))
  // An outcome is [turn, "decision", …]; a newest turn without an outcome was not approved.
  AND (NOT $notApproved
       OR NOT coalesce(w.outcomes[size(w.outcomes) - 1] STARTS WITH '[' + toString(w.currentTurn) + ',"approved"', false))
// when any-verdict
// when that-may-stall
// A verdict that warns needs three turns with feedback since the last approval. Skips worlds with fewer.
WITH w, size(w.outcomes) AS kept
WHERE kept >= 3 AND size([o IN w.outcomes[kept - 3..kept] WHERE split(o, '"')[1] = 'approved']) = 0
// end
WITH w ORDER BY w.project DESC, w.lastActivityAt DESC, w.slug LIMIT $limit
// include worlds/_progress
ORDER BY lastActivity DESC, shown.slug
