// A feature whose last task is gone; it is asked beforehand, because a hub is locked only where it goes. Locks: Feature.
// params: $featureKey $token
MATCH (f:Feature {key: $featureKey})
SET f.rev = $token
WITH f
WHERE NOT EXISTS { MATCH (f)-[:HAS_TASK]->(:Task) }
DETACH DELETE f
RETURN count(*) AS gone
