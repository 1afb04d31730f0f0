// question: How many turns and hours does an approval take, by feature?
// Adds up the hours that the turns themselves report, up to the first approval, in worlds in which each of
// those turns reports its duration; null if there is no such world.
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
  RETURN count(t) AS taken, count(t.durationSeconds) AS timed, sum(toInteger(round(t.durationSeconds))) AS seconds
}
WITH f.id AS feature, approvedIn, taken, seconds,
     CASE WHEN approvedIn IS NOT NULL AND timed = taken THEN 1 ELSE 0 END AS timed
WITH feature, count(feature) AS worlds, count(approvedIn) AS approved, sum(taken) AS turns, sum(timed) AS timed,
     sum(CASE WHEN timed = 1 THEN seconds ELSE 0 END) AS seconds
RETURN feature, worlds, approved, CASE WHEN approved = 0 THEN null ELSE toFloat(turns) / approved END AS turns_to_approval,
       CASE WHEN timed = 0 THEN null ELSE toFloat(seconds) / 3600 / timed END AS hours_to_approval
ORDER BY feature LIMIT $limit
