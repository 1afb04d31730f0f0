// question: How did a world progress, turn by turn?
// Returns, for each turn, the number of criteria that it verified first, the number that are verified after
// it, and the number that it rejected. Name the world to get one row per turn.
// columns: feature, task, world, turn, decision, newly_verified, verified, rejected
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.currentTurn > 0
// Each world has at least one row, so $limit worlds are enough.
WITH f, task, w ORDER BY f.id, task.id, w.slug LIMIT $limit
CALL (w) {
  MATCH (w)-[r:PROGRESS]->(:Criterion)
  WHERE r.verifiedInTurn IS NOT NULL
  RETURN collect(r.verifiedInTurn) AS verifiedIn
}
MATCH (w)-[:HAS_TURN]->(t:Turn)
CALL (t) {
// include analysis/_judgements
  WHERE status = 'rejected'
  RETURN count(DISTINCT key) AS rejected
}
RETURN f.id AS feature, task.id AS task, w.slug AS world, t.number AS turn, t.coachDecision AS decision,
       size([n IN verifiedIn WHERE n = t.number]) AS newly_verified,
       size([n IN verifiedIn WHERE n <= t.number]) AS verified, rejected
ORDER BY feature, task, world, turn LIMIT $limit
