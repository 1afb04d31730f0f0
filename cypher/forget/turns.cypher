// Some turns of a world, in no order, with how much hangs on each: whatever comes first goes first.
// params: $worldKey $limit
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WITH t
LIMIT $limit
RETURN t.key AS key, t.revision AS revision,
       coalesce(t.verificationCount, 0) + coalesce(t.promiseCount, 0) + coalesce(t.issueCount, 0) + coalesce(t.gateCount, 0) AS parts
