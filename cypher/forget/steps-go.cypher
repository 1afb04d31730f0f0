// Some steps of a turn that has more than one transaction takes: the turn follows with the last of them.
// params: $turnKey $limit
MATCH (t:TranscriptTurn {key: $turnKey})-[:HAS_STEP]->(s:Step)
WITH s
LIMIT $limit
DETACH DELETE s
RETURN count(*) AS gone
