// params: $key $properties
MATCH (a:Attempt {key: $key})
SET a += $properties
RETURN a.key AS key
