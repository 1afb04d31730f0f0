// Refills topics with the newest 6 of all their turns, as captures would have done without the removed turns:
// two statements of one transaction. Reads every turn of the project once for all topics: a full topic loses
// a turn only by a deletion or a replaced record, and both are rare.
// when begin
// Locks: Topic, in the order of the keys. A capture that waits for one adds its own turn afterwards.
// params: $keys $token
UNWIND $keys AS key
MATCH (x:Topic {key: key})
SET x.rev = $token
SET x.turns = [], x.incomplete = null
RETURN count(x) AS topics
// when fill
// params: $keys $after $below
MATCH (w:World)-[:HAS_TURN]->(t:Turn)
WHERE w.key > $after AND w.key < $below AND w.deletedAt IS NULL
WITH w, t, split(w.key, '/')[0] + '/' AS project,
     '/' + toString(reduce(sum = 0, i IN range(0, size(w.slug) - 1) |
       sum + size(split('0123456789abcdefghijklmnopqrstuvwxyz', substring(w.slug, i, 1))[0]) % 36) % 2) AS slot,
     [(t)-[:RAISED]->(i:Issue) WHERE i.signature IS NOT NULL | 'issue:' + i.signature] AS issues
WITH t, [name IN issues
       + CASE WHEN size(t.lessonsFromTurn) + size(t.blockersFound) > 0 THEN coalesce(t.topics, []) ELSE [] END
       + CASE WHEN t.coachDecision = 'approved' THEN ['feature:' + split(w.taskKey, '/')[1]] ELSE [] END
     WHERE project + name + slot IN $keys | project + name + slot] AS keys
UNWIND keys AS key
WITH DISTINCT key, t
WITH key, t, replace(toString(t.completedAt), 'Z', '') AS at
WITH key, coalesce(left(at + substring(':00.000000', size(at) - 16), 26), '                          ')
       + ' ' + substring('0000000', size(toString(t.number))) + toString(t.number) + ' ' + t.key AS entry
ORDER BY entry DESC
WITH key, collect(entry) AS turns
MATCH (x:Topic {key: key})
SET x.turns = turns[0..6]
RETURN count(x) AS topics
// end
