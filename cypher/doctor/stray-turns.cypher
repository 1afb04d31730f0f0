// Turns of a world whose keys do not match their numbers. Queried if the world has more turns than its
// numbers lead to.
// params: $worldKey $limit
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.number IS NULL OR t.key <> w.key + '/' + toString(t.number)
RETURN t.key AS key, t.number AS number
LIMIT $limit
