// The oldest records that a turn has replaced: what is left of them stays reachable from it.
// params: $turnKey $limit
MATCH (:Turn {key: $turnKey})-[:SUPERSEDES*1..]->(t:SupersededTurn)
WITH t
ORDER BY t.revision
LIMIT $limit
RETURN t.key AS key, t.revision AS revision,
       coalesce(t.verificationCount, 0) + coalesce(t.promiseCount, 0) + coalesce(t.issueCount, 0) + coalesce(t.gateCount, 0) AS parts
