// Takes a turn from the topics of the record that another one replaces, in the transaction of that: the new record enters its
// own. Locks: Topic (in the order of the keys), behind the World.
// params: $keys $turn $token
UNWIND $keys AS key
MATCH (x:Topic {key: key})
SET x.rev = $token
SET x.turns = [e IN x.turns WHERE NOT e ENDS WITH $turn]
WITH x
WHERE size(x.turns) = 0
DETACH DELETE x
RETURN count(*) AS gone
