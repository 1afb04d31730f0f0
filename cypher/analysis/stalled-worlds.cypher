// question: Which worlds stall, are blocked, or oscillate?
// Returns the verdict of `turngraph stall` for each world that is `stalled`, `blocked`, `oscillating` or
// `plateau`, with its `should_stop` and `since_turn`. The statement finds the worlds that can have such a
// verdict: at least three turns with feedback since the last approval.
// Reads at most the 5,000 most recently active sessions. If there are more, the answer is `truncated`.
// columns: feature, task, world, verdict, should_stop, since_turn, turns, last_gain_in, verified, criteria, contested
// params: $projectKey $feature $task $world $limit
// include analysis/_may-stall
RETURN w.key AS key, w.lastGainTurn AS last_gain_in, w.contestedCount AS contested
ORDER BY w.lastActivityAt DESC, key LIMIT $limit
