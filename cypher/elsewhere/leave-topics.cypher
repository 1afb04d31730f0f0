// Removes the turns of a world from their topics, so that other sessions no longer find them. Locks: Topic
// (in the order of the keys), behind the World.
// params: $own $token
// when of-world
// Finds the current topics of its turns by their keys, for a deletion.
// params: $worldKey $slot
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WITH w, split(w.key, '/')[0] AS project,
     CASE WHEN size(t.lessonsFromTurn) + size(t.blockersFound) > 0 THEN coalesce(t.topics, []) ELSE [] END
       + [(t)-[:RAISED]->(i:Issue) WHERE i.signature IS NOT NULL | 'issue:' + i.signature]
       + ['feature:' + split(w.taskKey, '/')[1]] AS names
UNWIND names AS name
WITH DISTINCT project + '/' + name + '/' + toString($slot) AS key
ORDER BY key
MATCH (x:Topic {key: key})
// when of-project
// Checks each topic of the project: forgetting is rare, and a topic may name a turn whose record was
// superseded by one with other topics.
// params: $after $below $limit
MATCH (x:Topic)
WHERE x.key > $after AND x.key < $below AND any(e IN x.turns WHERE e CONTAINS $own)
WITH x
ORDER BY x.key
LIMIT $limit
// end
SET x.rev = $token
SET x.incomplete = CASE WHEN size(x.turns) = 6 AND size([e IN x.turns WHERE e CONTAINS $own]) > 0 THEN true ELSE x.incomplete END
SET x.turns = [e IN x.turns WHERE NOT e CONTAINS $own]
RETURN count(x) AS gone
