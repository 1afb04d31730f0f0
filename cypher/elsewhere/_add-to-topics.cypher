// A turn enters the `topics` that it is about, and leaves those that only the record before it was about: in one order, so that
// captures wait for each other in a row and not in a ring. Each topic keeps its newest 6 turns, in their order: the same ones in
// any order of captures. The lock comes before the look: two captures that change one list at once would else each write theirs.
FOREACH (key IN topics.keys |
  MERGE (topic:Topic {key: key})
  SET topic.rev = $token
  SET topic.turns = ([e IN coalesce(topic.turns, []) WHERE e > topics.entry AND NOT e ENDS WITH topics.turn]
    + CASE WHEN key IN topics.left THEN [] ELSE [topics.entry] END
    + [e IN coalesce(topic.turns, []) WHERE e < topics.entry AND NOT e ENDS WITH topics.turn])[0..6])
