// All verifications of a criterion in a world, oldest first, one page at a time. $keys are the key of the
// criterion and those of the criteria that were merged into it.
// The second form lists only those with an observation.
// params: $worldKey $keys $afterTurn $afterPosition $limit
UNWIND $keys AS key
MATCH (:Criterion {key: key})<-[:OF]-(v:Verification)<-[:RECORDED]-(t:Turn)<-[:HAS_TURN]-(:World {key: $worldKey})
WHERE t.number > $afterTurn OR (t.number = $afterTurn AND v.position > $afterPosition)
// when all
WITH t, v, null AS observation
// when observed
WITH t, v, v.observation AS observation
WHERE observation IS NOT NULL
// end
RETURN t.number AS turn, v.position AS position, v.status AS status, v.source AS source, v.evidence AS evidence,
       v.addedAt AS addedAt, observation
ORDER BY turn, position
LIMIT $limit
