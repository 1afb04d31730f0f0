// Which files each turn of a world touched, and on which files its promises and verifications stand: what makes a proof stale.
// From a turn on: what no proof that stands is older than.
// params: $worldKey $since $turn
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.number >= $since AND t.number <= $turn
RETURN t.number AS turn, t.filesModified AS touched,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [p.position, c.key, p.testFile, p.implementationFiles]] AS promised,
       [(t)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) WHERE v.files IS NOT NULL | [v.position, c.key, v.files]] AS verified
