// params: $key
MATCH (p:Project {key: $key})
RETURN properties(p) AS project
