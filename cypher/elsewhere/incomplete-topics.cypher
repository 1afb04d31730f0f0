// Topics that older turns may be about than those they name: a full topic has pushed them out, and lost a turn since.
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
