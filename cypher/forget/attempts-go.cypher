// params: $worldKey $limit
MATCH (w:World {key: $worldKey})-[:HAS_ATTEMPT]->(a:Attempt)
WITH a
LIMIT $limit
DETACH DELETE a
RETURN count(*) AS gone
