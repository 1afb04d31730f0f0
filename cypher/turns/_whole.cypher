// A turn `t` of the world `w`, whole.
RETURN w {.slug, .project, .featureId, .taskId, deleted: w.deletedAt IS NOT NULL} AS world,
       properties(t) AS turn,
       [(t)-[:RECORDED]->(v:Verification) | properties(v)] AS verifications,
       [(t)-[:PROMISED]->(p:Promise) | properties(p)] AS promises,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates
