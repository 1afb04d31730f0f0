// params: $keys
UNWIND $keys AS key
MATCH (c:Criterion {key: key})
RETURN c.key AS key
