// Deletes those topics of a replaced record that no turn is about any more, in the transaction of the one that replaces it,
// which has their locks.
// params: $keys
UNWIND $keys AS key
MATCH (x:Topic {key: key})
WITH x
WHERE size(x.turns) = 0
DETACH DELETE x
RETURN count(*) AS gone
