// Deletes the topics of a project that no turn is about any more. Locks: Topic: a capture that waited makes one anew.
// params: $after $below $token $limit
MATCH (x:Topic)
WHERE x.key > $after AND x.key < $below AND size(x.turns) = 0
WITH x
ORDER BY x.key
LIMIT $limit
SET x.rev = $token
WITH x
WHERE size(x.turns) = 0
DETACH DELETE x
RETURN count(*) AS gone
