// params: $keys
UNWIND $keys AS key
MATCH (f:Feature {key: key})<-[:HAS_FEATURE]-(p:Project)
RETURN properties(f) AS feature, p.key AS project
