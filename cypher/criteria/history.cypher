// All verifications of a criterion in a world, oldest first, one page at a time. $keys are the key of the
// criterion and those of the criteria that were merged into it.
// params: $worldKey $keys $afterTurn $afterPosition $limit
UNWIND $keys AS key
MATCH (:Criterion {key: key})<-[:OF]-(v:Verification)<-[:RECORDED]-(t:Turn)<-[:HAS_TURN]-(:World {key: $worldKey})
WHERE t.number > $afterTurn OR (t.number = $afterTurn AND v.position > $afterPosition)
RETURN t.number AS turn, v.position AS position, v.status AS status, v.source AS source, v.evidence AS evidence,
       v.addedAt AS addedAt
ORDER BY turn, position
LIMIT $limit
