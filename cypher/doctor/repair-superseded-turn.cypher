// params: $key $properties
MATCH (t:SupersededTurn {key: $key})
SET t += $properties
RETURN t.key AS key
