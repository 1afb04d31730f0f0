// The prior turn with its parts, and the ledger of all turns below: one statement, one round trip.
// Evidence travels only where it is asked for. `turns` says how many parts each turn has: a reader that
// raced a commit compares and reads again.
// params: $turnNumber $withEvidence
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber
  RETURN max(x.number) AS previous
}
OPTIONAL MATCH (w)-[:HAS_TURN]->(t:Turn)
WHERE t.number = previous
RETURN w {.slug, .currentTurn, .turnCount, deleted: w.deletedAt IS NOT NULL} AS world,
       properties(t) AS turn,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(t)-[:PROMISED]->(p:Promise) | properties(p)] AS promises,
       [(t)-[:RECORDED]->(v:Verification) | properties(v)] AS verifications,
       [(w)-[:HAS_TURN]->(x:Turn) | [x.number, x.verificationCount, x.promiseCount]] AS turns,
       [(w)<-[:HAS_WORLD]-(:Task)-[:HAS_CRITERION]->(c:Criterion) | c {
         .key, .texts, .textSources, .labels, .labelSources, .mergedInto, .worldKey
       }] AS criteria,
       [(w)-[:HAS_TURN]->(x:Turn)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) WHERE x.number < $turnNumber |
         [x.number, v.position, c.key, v.criterionId, v.status, v.source, v.form, v.substantiated,
          CASE WHEN $withEvidence THEN v.evidence ELSE null END]] AS ledger,
       [(w)-[:HAS_TURN]->(x:Turn)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) WHERE x.number < $turnNumber |
         [x.number, p.position, c.key, p.criterionId, p.status]] AS promised
