// params: $featureKey
MATCH (f:Feature {key: $featureKey})
WITH f
WHERE NOT EXISTS { MATCH (f)-[:HAS_TASK]->(:Task) }
RETURN f.key AS key
