// All that some turns of a world say of its criteria, each turn with its count: a torn one is read again.
// params: $turnKeys
UNWIND $turnKeys AS key
MATCH (t:Turn {key: key})
RETURN t.number AS turn,
       t.verificationCount AS verificationCount,
       [(t)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) |
         [t.number, v.position, c.key, v.criterionId, v.status, v.source, v.form, v.substantiated, v.evidence]] AS ledger
