// A turn `t` of a world `w` enters the `topics` that it is about, and where it is approved that of its feature. Each keeps its
// newest 6 turns, in their order: the same ones in any order of captures. The lock comes before the look: two captures that
// change one list at once would else each write theirs.
FOREACH (key IN topics.keys + CASE WHEN t.coachDecision = 'approved'
    THEN [split(w.taskKey, '/')[0] + '/feature:' + split(w.taskKey, '/')[1] + '/' + toString(topics.slot)] ELSE [] END |
  MERGE (topic:Topic {key: key})
  SET topic.rev = $token
  SET topic.turns = ([e IN coalesce(topic.turns, []) WHERE e > topics.entry AND NOT e ENDS WITH topics.turn]
    + [topics.entry]
    + [e IN coalesce(topic.turns, []) WHERE e < topics.entry AND NOT e ENDS WITH topics.turn])[0..6])
