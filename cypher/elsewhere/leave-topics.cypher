// Removes the turns of a world above a number from their topics, so that other sessions no longer find them. An
// entry has that number with zeros before it, behind its instant (src/memory/elsewhere/topics.ts). Locks: Topic (in
// the order of the keys), behind the World.
// params: $own $above $token
// when of-world
// Finds the current topics of its turns by their keys, for a deletion or a rollback.
// params: $worldKey $slot $aboveTurn
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.number > $aboveTurn
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
SET x.incomplete = CASE WHEN size(x.turns) = 6 AND size([e IN x.turns WHERE e CONTAINS $own AND substring(e, 27, 7) > $above]) > 0 THEN true ELSE x.incomplete END
SET x.turns = [e IN x.turns WHERE NOT (e CONTAINS $own AND substring(e, 27, 7) > $above)]
RETURN count(x) AS gone
