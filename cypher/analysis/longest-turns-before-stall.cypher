// question: Which were the longest turns of the agents before a stall?
// Covers worlds with the verdict `stalled` or `blocked`, in the turns that the verdict covers. The statement finds
// the worlds that can have such a verdict.
// columns: feature, task, world, turn, session, length, pattern, errors
// params: $projectKey $feature $task $world $limit
// include analysis/_may-stall
RETURN w.key AS key, w.lastGainTurn AS last_gain_in, w.contestedCount AS contested
ORDER BY w.lastActivityAt DESC, key LIMIT $limit
