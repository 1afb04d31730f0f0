// Deletes topics that no turn is about any more. Locks: Topic: a capture that waited makes one anew.
// when of-replaced
// Those of a record that is replaced: the transaction that replaces it has their locks. One that was full lacks a turn now, or names
// one that is older than others which it has pushed out.
// params: $keys
UNWIND $keys AS key
MATCH (x:Topic {key: key})
SET x.incomplete = CASE WHEN size(x.turns) >= 5 THEN true ELSE x.incomplete END
// when by-keys
// params: $keys
UNWIND $keys AS key
MATCH (x:Topic {key: key})
// when of-project
// params: $after $below $token $limit
MATCH (x:Topic)
WHERE x.key > $after AND x.key < $below AND size(x.turns) = 0 AND x.incomplete IS NULL
WITH x
ORDER BY x.key
LIMIT $limit
SET x.rev = $token
// end
WITH x
WHERE size(x.turns) = 0 AND x.incomplete IS NULL
DETACH DELETE x
RETURN count(*) AS gone
