// question: How strict is the Coach, day by day?
// Counts the turns that the Coach approved, sent back or rejected, by the day of their completion (UTC; null
// if unknown), newest day first. Returns the share of approvals, the verified and rejected verdicts, the
// blocking issues, and the approvals of turns with a failed gate.
// columns: day, turns, approved, approved_share, verified, rejected, blocking_issues, approved_over_failed_gate
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_TURN]->(t:Turn)
WHERE t.coachDecision IN ['approved', 'feedback', 'rejected']
WITH t, CASE WHEN t.coachDecision = 'approved' THEN 1 ELSE 0 END AS isApproved
CALL (t) {
  MATCH (t)-[:RAISED]->(i:Issue {severity: 'blocking'})
  RETURN count(i) AS blocking
}
CALL (t) {
  MATCH (t)-[:PASSED_THROUGH]->(g:Gate {status: 'failed'})
  RETURN count(g) AS failed
}
WITH toString(date(t.completedAt)) AS day, isApproved, t.verifiedCount AS verified, t.rejectedCount AS rejected, blocking,
     CASE WHEN failed > 0 THEN isApproved ELSE 0 END AS overGate
WITH day, count(isApproved) AS turns, sum(isApproved) AS approved, sum(verified) AS verified, sum(rejected) AS rejected,
     sum(blocking) AS blocking, sum(overGate) AS overGate
RETURN day, turns, approved, toFloat(approved) / turns AS approved_share, verified, rejected, blocking AS blocking_issues,
       overGate AS approved_over_failed_gate
ORDER BY day IS NULL, day DESC LIMIT $limit
