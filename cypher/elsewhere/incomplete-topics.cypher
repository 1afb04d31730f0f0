// Topics that may lack older turns: the topic was full, pushed them out, and has lost a turn since.
// when by-keys
// params: $keys $limit
UNWIND $keys AS key
MATCH (x:Topic {key: key})
WITH x
WHERE x.incomplete = true
// when of-project
// params: $after $below $limit
MATCH (x:Topic)
WHERE x.key > $after AND x.key < $below AND x.incomplete = true
// end
RETURN x.key AS key
ORDER BY key
LIMIT $limit
