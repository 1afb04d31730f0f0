// params: $key $properties
MATCH (p:TurnPattern {key: $key})
SET p += $properties
RETURN p.key AS key
