// The runs of a world after one, in the order in which they began: a later one has a greater fence.
// params: $worldKey $after $limit
MATCH (w:World {key: $worldKey})-[:HAS_RUN]->(r:TurnRun)
WHERE r.fence > $after
RETURN properties(r) AS run, w.key AS world
ORDER BY r.fence
LIMIT $limit
