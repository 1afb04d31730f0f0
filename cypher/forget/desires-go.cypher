// params: $keys
UNWIND $keys AS key
MATCH (d:Desire {key: key})
DETACH DELETE d
RETURN count(*) AS gone
