// Takes the turns of a world from what they were about. Each topic of the project is looked at: forgetting is rare, and a topic
// may name a turn whose record was superseded by one about other things. Locks: Topic (in the order of the keys).
// params: $after $below $own $token $limit
MATCH (x:Topic)
WHERE x.key > $after AND x.key < $below AND any(e IN x.turns WHERE e CONTAINS $own)
WITH x
ORDER BY x.key
LIMIT $limit
SET x.rev = $token
SET x.turns = [e IN x.turns WHERE NOT e CONTAINS $own]
RETURN count(x) AS gone
