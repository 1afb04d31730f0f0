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
// Worlds that can neither stall nor oscillate are passed over by what each says of itself; the verdict takes its criteria, too.
// Three turns at least since the last approval; and either the same signature three times or two that return while nothing was
// won since the fourth newest turn, or a criterion that was both verified and rejected (src/rules/stall.ts). A world
// of a task that declares what must hold may have won what does not count: it is not judged by its gain.
WITH w, reverse([o IN w.outcomes | o]) AS outcomes // Neo4j reverses no list that is a property
WITH w, outcomes, [i IN range(0, size(outcomes) - 1) WHERE split(outcomes[i], '"')[1] = 'approved' | i] AS approvals
WITH w, outcomes[0..coalesce(approvals[0], 6)] AS sinceApproval
WITH w, sinceApproval[0..6] AS feedback
WITH w, [o IN feedback | split(o, '"')[3]] AS signatures, toInteger(substring(split(feedback[3], ',')[0], 1)) AS fourth
WHERE size(signatures) >= 3
  AND (w.contestedCount > 0
       OR size([i IN range(0, size(signatures) - 2) WHERE signatures[i] IN signatures[i + 1..]]) >= 2
          AND (size(coalesce(w.specifiedAfter, [])) > 0 OR w.lastGainTurn IS NULL OR w.lastGainTurn <= fourth))
// end
WITH w ORDER BY w.project DESC, w.lastActivityAt DESC, w.slug LIMIT $limit
// include worlds/_progress
ORDER BY lastActivity DESC, shown.slug
