// Names in a topic the newest 6 of all turns that are about it, as captures would have done without those that left it. Every
// turn of the project is looked at: what leaves a full topic is a deletion, or a record that is replaced, and both are rare.
// Locks: Topic: a capture that waits for it enters its own turn behind. No row: the topic is complete.
// params: $key $name $slot $after $below $token
MATCH (x:Topic {key: $key})
SET x.rev = $token
WITH x
WHERE x.incomplete = true
CALL (x) {
  MATCH (w:World)-[:HAS_TURN]->(t:Turn)
  WHERE w.key > $after AND w.key < $below AND w.deletedAt IS NULL
    AND reduce(sum = 0, i IN range(0, size(w.slug) - 1) |
      sum + size(split('0123456789abcdefghijklmnopqrstuvwxyz', substring(w.slug, i, 1))[0]) % 36) % 2 = $slot
// when work
    AND size(t.lessonsFromTurn) + size(t.blockersFound) > 0 AND $name IN coalesce(t.topics, [])
// when feature
    AND t.coachDecision = 'approved' AND 'feature:' + split(w.taskKey, '/')[1] = $name
// when issue
  WITH t, [(t)-[:RAISED]->(i:Issue) WHERE 'issue:' + i.signature = $name | 1] AS raised
  WITH t, raised
  WHERE size(raised) > 0
// end
  WITH t, replace(toString(t.completedAt), 'Z', '') AS at
  WITH coalesce(left(at + substring(':00.000000', size(at) - 16), 26), '                          ')
       + ' ' + substring('0000000', size(toString(t.number))) + toString(t.number) + ' ' + t.key AS entry
  ORDER BY entry DESC
  LIMIT 6
  RETURN collect(entry) AS turns
}
SET x.turns = turns, x.incomplete = null
RETURN size(turns) AS named
