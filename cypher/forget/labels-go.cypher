// What labels meant in the world, and where criteria stood: without its turns it says nothing.
// params: $worldKey $limit
MATCH (w:World {key: $worldKey})-[r:LABELS]->(:Criterion)
WITH r
LIMIT $limit
DELETE r
RETURN count(*) AS gone
