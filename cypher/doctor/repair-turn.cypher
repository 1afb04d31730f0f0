// params: $key $properties
MATCH (t:Turn {key: $key})
SET t += $properties
RETURN t.key AS key
