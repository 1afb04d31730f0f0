// A page of the runs of a world, with how its attempts ended.
// params: $worldKey $after $limit
MATCH (:World {key: $worldKey})-[:HAS_RUN]->(r:TurnRun)
WHERE r.key > $after
WITH r
ORDER BY r.key
LIMIT $limit
CALL (r) {
  MATCH (r)-[:HAS_ATTEMPT]->(a:Attempt)
  RETURN count(a) AS attempts, max(a.endedAt) AS latest, sum(CASE WHEN a.status = 'committed' THEN 1 ELSE 0 END) AS committed,
         sum(CASE WHEN a.status = 'failed' THEN 1 ELSE 0 END) AS failed,
         sum(CASE WHEN a.status = 'interrupted' THEN 1 ELSE 0 END) AS interrupted
}
RETURN r.key AS key, properties(r) AS held, attempts, latest, committed, failed, interrupted
ORDER BY key
