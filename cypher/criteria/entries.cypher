// All entries about criteria in some turns of a world, each turn with its count: an incomplete one is read
// again.
// params: $turnKeys
UNWIND $turnKeys AS key
MATCH (x:Turn {key: key})
RETURN x.number AS turn,
       x.verificationCount AS verificationCount,
       [(x)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) |
// include criteria/_entry
       ] AS ledger
