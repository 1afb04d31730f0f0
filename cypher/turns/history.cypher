// The superseded records of a turn, newest first: each was replaced by the one above it.
// params: $worldKey $turnKey $before $limit
MATCH (w:World {key: $worldKey})
MATCH (:Turn {key: $turnKey})-[:SUPERSEDES*1..]->(t:SupersededTurn)
WHERE t.revision < $before
WITH w, t
ORDER BY t.revision DESC
LIMIT $limit
// include turns/_whole
ORDER BY turn.revision DESC
