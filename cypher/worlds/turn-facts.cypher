// Facts of the turns of worlds, from a given turn of each: the files of the turn, without those that git
// shows as unchanged, and the files of its promises and verifications. These files show stale proofs. The first
// form also returns the decision and the failed gates of the turn. Each row is one turn.
// params: $worlds
UNWIND $worlds AS asked
WITH asked, asked.key AS key
MATCH (w:World {key: key})-[:HAS_TURN]->(t:Turn)
WHERE t.number >= asked.since
RETURN key, t.number AS turn,
// when all
       t.coachDecision AS coachDecision, size(t.filesModified) AS listed, t.filesSource AS filesSource,
       [(t)-[:PASSED_THROUGH]->(g:Gate) WHERE g.status = 'failed' | g.name] AS failedGates,
// when files
// end
       [file IN t.filesModified WHERE NOT file IN coalesce(t.deniedFiles, [])] AS touched,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [p.position, c.key, c.mergedInto, p.testFile, p.implementationFiles]] AS promised,
       [(t)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) WHERE v.files IS NOT NULL | [v.position, c.key, c.mergedInto, v.files]] AS verified
