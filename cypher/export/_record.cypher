       properties(t) AS turn,
       [(t)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) | [c.key, properties(v)]] AS verifications,
       [(t)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [c.key, properties(p)]] AS promises,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:RAISED]->(i:Issue)-[:ABOUT]->(c:Criterion) | [i.position, c.key]] AS about,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(t)-[:TRANSCRIBED_IN]->(s:TranscriptSession) | s {.key, .id, .project}] AS transcribedIn
