// question: Which gates blocked when every criterion of the turn was verified?
// Finds turns that verified all judged criteria but were sent back, and returns their failed gates.
// columns: gate, turns, worlds
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_TURN]->(t:Turn)
WHERE t.rejectedCount = 0 AND t.verifiedCount > 0 AND t.coachDecision IN ['feedback', 'rejected']
MATCH (t)-[:PASSED_THROUGH]->(g:Gate {status: 'failed'})
CALL (t) {
// include analysis/_judgements
  WHERE status <> 'verified'
  RETURN count(key) AS open
}
WITH w, t, g, open
WHERE open = 0
RETURN g.name AS gate, count(DISTINCT t) AS turns, count(DISTINCT w) AS worlds
ORDER BY turns DESC, gate LIMIT $limit
