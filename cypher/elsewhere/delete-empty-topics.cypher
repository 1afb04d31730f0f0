// Deletes topics without turns. Locks: Topic: a capture that waited creates the topic again.
// when of-replaced
// Topics of a replaced record: the replacing transaction holds their locks. A topic that was full now lacks a
// turn, or contains one that is older than turns that it has pushed out.
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
