// Turns of a world with all of their parts.
// params: $worldKey
MATCH (w:World {key: $worldKey})
// when one
// params: $turnKey
MATCH (t:Turn {key: $turnKey})
// when page
// params: $after $limit
MATCH (w)-[:HAS_TURN]->(t:Turn)
WHERE t.number > $after
WITH w, t
ORDER BY t.number
LIMIT $limit
// when superseded
// The superseded records of a turn, newest first: each was replaced by the one listed before it.
// params: $turnKey $before $limit
MATCH (:Turn {key: $turnKey})-[:SUPERSEDES*1..]->(t:SupersededTurn)
WHERE t.revision < $before
WITH w, t
ORDER BY t.revision DESC
LIMIT $limit
// when withdrawn
// The same for a number whose newest record was withdrawn.
// params: $turnNumber $before $limit
MATCH (w)-[:SUPERSEDES]->(newest:SupersededTurn) WHERE newest.number = $turnNumber
MATCH (newest)-[:SUPERSEDES*0..]->(t:SupersededTurn)
WHERE t.revision < $before
WITH w, t
ORDER BY t.revision DESC
LIMIT $limit
// end
RETURN w {.slug, .project, .featureId, .taskId, deleted: w.deletedAt IS NOT NULL} AS world,
       properties(t) AS turn,
       [(t)-[:RECORDED]->(v:Verification) | properties(v)] AS verifications,
       [(t)-[:PROMISED]->(p:Promise) | properties(p)] AS promises,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates
ORDER BY turn.number, turn.revision DESC
