// params: $key $properties
MATCH (c:Criterion {key: $key})
SET c += $properties
RETURN c.key AS key
