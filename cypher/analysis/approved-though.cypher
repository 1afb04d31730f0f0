// question: Which sessions ended with an approval although something spoke against it?
// Lists the sessions whose newest turn is approved, and that have a failed gate in this turn, or declared
// criteria that are not verified (`unproven`), or criteria that were rejected with evidence after their
// verification (`refuted`). The statement finds the approved sessions with their failed gates.
// Reads at most the 5,000 most recently active sessions. If there are more, the answer is `truncated`.
// columns: feature, task, world, turn, gates, unproven, refuted
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.currentTurn > 0
WITH w, w.key + '/' + toString(w.currentTurn) AS newestKey
MATCH (t:Turn {key: newestKey})
WHERE t.coachDecision = 'approved'
CALL (t) {
  MATCH (t)-[:PASSED_THROUGH]->(g:Gate {status: 'failed'})
  WITH g.name AS gate, g.position AS position ORDER BY position
  RETURN collect(gate) AS gates
}
RETURN w.key AS key, gates
ORDER BY w.lastActivityAt DESC, key LIMIT $limit
