// question: Which turns were approved although a gate had failed?
// Returns each approved turn with a failed gate, with the number of its verified verdicts and raised issues.
// `coach-strictness` has the number of all approvals to compare.
// columns: feature, task, world, turn, gates, verified, issues
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_TURN]->(t:Turn {coachDecision: 'approved'})
CALL (t) {
  MATCH (t)-[:PASSED_THROUGH]->(g:Gate {status: 'failed'})
  WITH g.name AS gate, g.position AS position ORDER BY position
  RETURN collect(gate) AS gates
}
WITH f, task, w, t, gates
WHERE size(gates) > 0
RETURN f.id AS feature, task.id AS task, w.slug AS world, t.number AS turn, gates, t.verifiedCount AS verified, t.issueCount AS issues
ORDER BY feature, task, world, turn LIMIT $limit
