// question: Which gates blocked when every criterion of the turn was verified?
// Turns that verified something, rejected nothing, and were sent back: the gates that had failed there.
// columns: gate, turns, worlds
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:PASSED_THROUGH]->(g:Gate {status: 'failed'})
WHERE t.coachDecision IN ['feedback', 'rejected']
CALL (t) {
  MATCH (t)-[:RECORDED]->(v:Verification)
  RETURN sum(CASE WHEN v.status = 'verified' THEN 1 ELSE 0 END) AS verified,
         sum(CASE WHEN v.status = 'rejected' THEN 1 ELSE 0 END) AS rejected
}
WITH g, t, w, verified, rejected
WHERE verified > 0 AND rejected = 0
RETURN g.name AS gate, count(DISTINCT t) AS turns, count(DISTINCT w) AS worlds
ORDER BY turns DESC, gate LIMIT $limit
