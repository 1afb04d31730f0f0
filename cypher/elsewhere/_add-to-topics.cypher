// Adds a turn to its `topics`, and removes it from the topics of only the record that it replaces: in one
// order, so that captures cannot wait for each other in a circle. Each topic keeps its newest 6 turns, in
// order, so the result does not depend on the order of captures. The lock is taken before the read: otherwise
// two captures that change the same list would each overwrite the other.
FOREACH (key IN topics.keys |
  MERGE (topic:Topic {key: key})
  SET topic.rev = $token
  SET topic.turns = ([e IN coalesce(topic.turns, []) WHERE e > topics.entry AND NOT e ENDS WITH topics.turn]
    + CASE WHEN key IN topics.left THEN [] ELSE [topics.entry] END
    + [e IN coalesce(topic.turns, []) WHERE e < topics.entry AND NOT e ENDS WITH topics.turn])[0..6])
