// question: What did we try last turn, and why did it fail?
// Returns the newest turn of each world, with the criteria that its Coach rejected and the blocking issues.
// columns: feature, task, world, turn, attempted, decision, feedback, rejected, blocking
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.currentTurn > 0
// Each world has one row, so $limit worlds are enough.
WITH f, task, w ORDER BY f.id, task.id, w.slug LIMIT $limit
MATCH (w)-[:HAS_TURN]->(t:Turn)
WHERE t.number = w.currentTurn
CALL (t) {
// include analysis/_judgements
  WHERE status = 'rejected'
  WITH label AS criterion, position ORDER BY position, criterion
  RETURN collect(criterion) AS rejected
}
CALL (t) {
  MATCH (t)-[:RAISED]->(i:Issue {severity: 'blocking'})
  WITH i.description AS description, i.position AS position ORDER BY position
  RETURN collect(description) AS blocking
}
RETURN f.id AS feature, task.id AS task, w.slug AS world, t.number AS turn, t.playerSummary AS attempted,
       t.coachDecision AS decision, t.coachFeedback AS feedback, rejected, blocking
ORDER BY feature, task, world LIMIT $limit
