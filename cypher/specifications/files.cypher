// The files that each turn of a world changed, and the files of its promises and verifications: together they
// show stale proofs. A file that git shows as unchanged was not changed. Starts at a turn that is not newer than the oldest current proof.
// params: $worldKey $since $turn
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)
WHERE t.number >= $since AND t.number <= $turn
RETURN t.number AS turn, [file IN t.filesModified WHERE NOT file IN coalesce(t.deniedFiles, [])] AS touched,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [p.position, c.key, p.testFile, p.implementationFiles]] AS promised,
       [(t)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) WHERE v.files IS NOT NULL | [v.position, c.key, v.files]] AS verified
