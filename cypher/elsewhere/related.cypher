// Finds at most 5 turns of other sessions of the project that may help the asking session (`own`). Turns with the
// most shared files come first, then the newest. Each reason has a form of this statement; all forms run only for
// `elsewhere=known`. The cost grows with the number of turns that share a file, a gate or an issue.
// params: $own
// when by-files
// Turns with lessons or blockers that touched the same files.
// params: $files
UNWIND $files AS key
MATCH (:File {key: key})<-[:TOUCHED]-(t:Turn)
WITH t, count(*) AS shared
WHERE size(t.lessonsFromTurn) + size(t.blockersFound) > 0
MATCH (t)<-[:HAS_TURN]-(w:World)
WITH w, t, shared, '' AS signature
WHERE w.key <> $own AND w.deletedAt IS NULL
// when by-gates
// Turns with lessons or blockers that failed the same gates.
// params: $project $gates
UNWIND $gates AS name
MATCH (g:Gate {name: name})<-[:PASSED_THROUGH]-(t:Turn)<-[:HAS_TURN]-(w:World)
WITH g, t, w
WHERE g.status = 'failed' AND size(t.lessonsFromTurn) + size(t.blockersFound) > 0
  AND w.project = $project AND w.key <> $own AND w.deletedAt IS NULL
WITH DISTINCT w, t, 0 AS shared, '' AS signature
// when by-issues
// The last turn of each session that raised an issue: no later turn of that session raised it.
// params: $project $signatures
UNWIND $signatures AS signature
MATCH (:Issue {signature: signature})<-[:RAISED]-(t:Turn)<-[:HAS_TURN]-(w:World)
WITH w, t, signature
WHERE w.project = $project AND w.key <> $own AND w.deletedAt IS NULL
WITH signature, w, max(t.number) AS last
WITH signature, w, w.key + '/' + toString(last) AS key
MATCH (t:Turn {key: key})
WITH w, t, 0 AS shared, signature
// when by-feature
// The last turn of each finished session of the feature.
// params: $featureKey
MATCH (:Feature {key: $featureKey})-[:HAS_TASK]->(:Task)-[:HAS_WORLD]->(w:World)
WHERE w.key <> $own AND w.deletedAt IS NULL
WITH w, w.key + '/' + toString(w.currentTurn) AS key
MATCH (t:Turn {key: key})
WITH w, t, 0 AS shared, '' AS signature
WHERE t.coachDecision = 'approved'
// end
WITH w, t, shared, signature, coalesce(t.completedAt, datetime('0001-01-01T00:00:00Z')) AS at
ORDER BY shared DESC, at DESC, w.slug, t.number, signature
LIMIT 5
RETURN signature, w.slug AS worldSlug, w.featureId AS featureId, w.taskId AS taskId,
       t {.number, .completedAt, .lessonsFromTurn, .blockersFound, .filesModified} AS turn,
// when by-files by-gates
       [] AS around
// when by-issues
       [(t)-[:NEXT*1..3]->(x:Turn) WHERE x.outcome IS NOT NULL |
         x {.number, .completedAt, .playerSummary, .filesModified}] AS around
// when by-feature
       [(t)<-[:NEXT*1..3]-(x:Turn) WHERE size(x.lessonsFromTurn) > 0 |
         x {.number, .completedAt, .lessonsFromTurn, .filesModified}] AS around
// end
