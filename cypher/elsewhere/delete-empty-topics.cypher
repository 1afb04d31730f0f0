// Deletes topics that no turn is about any more. Locks: Topic: a capture that waited makes one anew.
// when by-keys
// Those of a record that is replaced: the transaction that replaces it has their locks.
// params: $keys
UNWIND $keys AS key
MATCH (x:Topic {key: key})
// when of-project
// params: $after $below $token $limit
MATCH (x:Topic)
WHERE x.key > $after AND x.key < $below AND size(x.turns) = 0
WITH x
ORDER BY x.key
LIMIT $limit
SET x.rev = $token
// end
WITH x
WHERE size(x.turns) = 0
DETACH DELETE x
RETURN count(*) AS gone
