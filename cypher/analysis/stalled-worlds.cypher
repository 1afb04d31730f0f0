// question: Which worlds stall, or go back and forth?
// Worlds whose newest three turns brought no approval and nothing newly verified (`stalled`), else those without an
// approval where a verified criterion was rejected (`contested`). `turngraph stall` looks closer at one of them.
// columns: feature, task, world, verdict, turns, last_gain_in, verified, criteria, contested
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.currentTurn >= 3
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)
  WHERE t.number > w.currentTurn - 3 AND t.coachDecision = 'approved'
  RETURN count(t) AS approvals
}
WITH f, task, w, approvals
WHERE approvals = 0
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RECORDED]->(v:Verification {status: 'verified'})-[:OF]->(c:Criterion)
  WHERE v.source <> 'player'
  WITH coalesce(c.mergedInto, c.key) AS criterion, min(t.number) AS first
  RETURN max(first) AS lastGain
}
CALL (w) {
  MATCH (w)-[r:PROGRESS]->(:Criterion)
  RETURN count(r) AS criteria, sum(CASE WHEN r.state = 'verified' THEN 1 ELSE 0 END) AS verified
}
CALL (w) {
  MATCH (w)-[:PROGRESS {state: 'verified'}]->(c:Criterion)
  MATCH (c)<-[:OF]-(v:Verification {status: 'rejected'})<-[:RECORDED]-(:Turn)<-[:HAS_TURN]-(w)
  RETURN count(DISTINCT c.key) AS contested
}
WITH f.id AS feature, task.id AS task, w.slug AS world, w.currentTurn AS turns, lastGain, verified, criteria, contested,
     CASE WHEN lastGain IS NULL OR lastGain <= w.currentTurn - 3 THEN 'stalled'
          WHEN contested > 0 THEN 'contested' ELSE 'moving' END AS verdict
WHERE verdict <> 'moving'
RETURN feature, task, world, verdict, turns, lastGain AS last_gain_in, verified, criteria, contested
ORDER BY verdict DESC, turns DESC, feature, task, world LIMIT $limit
