// question: Which worlds stall, or go back and forth?
// Worlds whose newest three turns brought no approval and nothing newly verified (`stalled`), else those without an
// approval where a verified criterion was rejected (`contested`). `turngraph stall` looks closer at one of them.
// columns: feature, task, world, verdict, turns, last_gain_in, verified, criteria, contested
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.turnCount >= 3
WITH f, task, w,
     CASE WHEN w.lastGainTurn IS NULL OR w.lastGainTurn <= w.currentTurn - 3 THEN 'stalled'
          WHEN w.contestedCount > 0 THEN 'contested' ELSE 'moving' END AS verdict
WHERE verdict <> 'moving'
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)
  WHERE t.number > w.currentTurn - 3 AND t.coachDecision = 'approved'
  RETURN count(t) AS approvals
}
WITH f.id AS feature, task.id AS task, w, verdict, approvals
WHERE approvals = 0
WITH feature, task, w, verdict ORDER BY verdict DESC, w.currentTurn DESC, feature, task, w.slug LIMIT $limit
CALL (w) {
  MATCH (w)-[r:PROGRESS]->(:Criterion)
  RETURN count(r) AS criteria, sum(CASE WHEN r.state = 'verified' THEN 1 ELSE 0 END) AS verified
}
RETURN feature, task, w.slug AS world, verdict, w.currentTurn AS turns, w.lastGainTurn AS last_gain_in, verified, criteria,
       w.contestedCount AS contested
ORDER BY verdict DESC, turns DESC, feature, task, world LIMIT $limit
