// question: How many turns and hours does it take to an approval, by feature?
// Hours are those that the turns themselves say they took, up to the first approval.
// columns: feature, worlds, approved, turns_to_approval, hours_to_approval
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(a:Turn {coachDecision: 'approved'})
  RETURN min(a.number) AS approvedIn
}
CALL (w, approvedIn) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)
  WHERE t.number <= approvedIn
  RETURN count(t) AS taken, sum(toInteger(round(t.durationSeconds))) AS seconds
}
WITH f.id AS feature, count(w) AS worlds, count(approvedIn) AS approved, sum(taken) AS turns, sum(seconds) AS seconds
RETURN feature, worlds, approved, CASE WHEN approved = 0 THEN null ELSE toFloat(turns) / approved END AS turns_to_approval,
       CASE WHEN approved = 0 THEN null ELSE toFloat(seconds) / 3600 / approved END AS hours_to_approval
ORDER BY feature LIMIT $limit
