// question: Which worlds stall, or go back and forth?
// What `turngraph stall` says of each world where that is `stalled`, `oscillating` or `plateau`, with its `should_stop` and
// `since_turn`. Left out is a world where only the whole ledger tells: one criterion was named more than 20 times, and not
// all of its newest six feedback turns are among the 20 that are kept.
// columns: feature, task, world, verdict, should_stop, since_turn, turns, last_gain_in, verified, criteria, contested
// params: $projectKey $feature $task $world $limit
// include analysis/_stalls
RETURN f.id AS feature, task.id AS task, w.slug AS world, verdict, shouldStop AS should_stop, last(turns) AS since_turn,
       w.currentTurn AS turns, w.lastGainTurn AS last_gain_in, verified, criteria, w.contestedCount AS contested
ORDER BY verdict DESC, w.currentTurn DESC, feature, task, world LIMIT $limit
