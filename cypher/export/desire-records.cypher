// params: $keys
UNWIND $keys AS key
MATCH (d:Desire {key: key})
RETURN properties(d) AS desire
