// The tasks of a feature, for names near to one that is not there: so many at most, in no order.
// params: $featureKey $limit
MATCH (:Feature {key: $featureKey})-[:HAS_TASK]->(t:Task)
RETURN t.id AS name
LIMIT $limit
