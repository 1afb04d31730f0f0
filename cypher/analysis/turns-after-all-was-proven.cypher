// question: Why did sessions continue after everything was verified?
// `proven_in` is the turn that verified the last criterion: the last of the task's declared criteria except
// manual ones, or, without a declaration, the last of those that count. Returns the later turns, the hours
// that they report (null if one of them reports no duration), and what held up the session from that turn on:
// the failed gates, the categories of blocking issues, and the criteria that were rejected with evidence, in
// turns that were not approved. If all three are empty, nothing held it up.
// columns: feature, task, world, criteria, proven_in, turns, hours, gates, issues, rejected
// params: $projectKey $feature $task $world $limit
// include analysis/_all-proven
CALL (w, provenIn) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)
  WHERE t.number > provenIn
  RETURN count(t) AS turns, count(t.durationSeconds) AS timed, sum(toInteger(round(t.durationSeconds))) AS seconds
}
CALL (w, provenIn) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:PASSED_THROUGH]->(g:Gate {status: 'failed'})
  WHERE t.number >= provenIn AND t.coachDecision <> 'approved'
  WITH DISTINCT g.name AS gate ORDER BY gate
  RETURN collect(gate) AS gates
}
CALL (w, provenIn) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RAISED]->(i:Issue {severity: 'blocking'})
  WHERE t.number >= provenIn AND t.coachDecision <> 'approved'
  WITH DISTINCT coalesce(i.category, 'none') AS category ORDER BY category
  RETURN collect(category) AS issues
}
CALL (w, provenIn) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RECORDED]->(v:Verification {status: 'rejected'})
  WHERE t.number >= provenIn AND t.coachDecision <> 'approved' AND v.substantiated AND v.source <> 'player'
  WITH DISTINCT v.criterionId AS criterion ORDER BY criterion
  RETURN collect(criterion) AS rejected
}
RETURN f.id AS feature, task.id AS task, w.slug AS world, criteria, provenIn AS proven_in, turns,
       CASE WHEN timed = turns THEN toFloat(seconds) / 3600 ELSE null END AS hours, gates, issues,
       rejected
ORDER BY turns DESC, feature, task, world LIMIT $limit
