// params: $worldKey $limit
MATCH (w:World {key: $worldKey})-[r:PROGRESS]->(:Criterion)
WITH r
LIMIT $limit
DELETE r
RETURN count(*) AS gone
