// question: Which verified criteria has nobody but the Player seen?
// Lists the verified criteria that count whose newest verification is in the Player's words (`repeated`), in the
// Player's words for another criterion (`misplaced`), or without evidence (`bare`). The statement finds the
// sessions that verified a criterion.
// Reads at most the 5,000 most recently active sessions. If there are more, the answer is `truncated`.
// columns: feature, task, world, criterion, text, basis, verified_in
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.lastGainTurn IS NOT NULL
RETURN w.key AS key
ORDER BY w.lastActivityAt DESC, key LIMIT $limit
