// Turns of a world that do not stand under their number: asked where there are others than the numbers lead to.
// params: $worldKey $limit
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.number IS NULL OR t.key <> w.key + '/' + toString(t.number)
RETURN t.key AS key, t.number AS number
LIMIT $limit
