// A page of a project's worlds with how far each has come, the last active first: those that a person looks for.
// On Neo4j it reads them in the order of their index (docs/decisions/two-engines.md) and ends with the page: what does not match is
// read on the way, and of that nothing but the world itself.
// params: $project $before $after $limit $featureId $search $running $notApproved
MATCH (w:World)
WHERE w.project = $project AND w.deletedAt IS NULL AND w.lastActivityAt <= datetime($before)
WITH w, w.lastActivityAt < datetime($before) AS isEarlier // with an OR beside it, Neo4j would not keep the order of the index
WHERE (isEarlier OR w.slug > $after)
  AND ($featureId = '' OR w.featureId = $featureId)
  AND ($search = '' OR toLower(w.slug) CONTAINS $search OR toLower(w.taskId) CONTAINS $search
       OR toLower(w.featureId) CONTAINS $search)
  AND (NOT $running OR coalesce(w.leased, false))
  // An outcome is [turn, "decision", …]; a newest turn that has none was not approved.
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
