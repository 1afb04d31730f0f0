// A page of a world's turns, ascending.
// params: $worldKey $after $limit
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.number > $after
WITH w, t
ORDER BY t.number
LIMIT $limit
// include turns/_whole
ORDER BY turn.number
