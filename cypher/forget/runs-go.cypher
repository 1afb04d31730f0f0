// params: $worldKey $limit
MATCH (w:World {key: $worldKey})-[:HAS_RUN]->(r:TurnRun)
WITH r
LIMIT $limit
DETACH DELETE r
RETURN count(*) AS gone
