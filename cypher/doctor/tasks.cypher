// A page of the tasks of a feature.
// params: $featureKey $after $limit
MATCH (:Feature {key: $featureKey})-[:HAS_TASK]->(t:Task)
WHERE t.key > $after
RETURN t.key AS key, properties(t) AS held
ORDER BY key
LIMIT $limit
