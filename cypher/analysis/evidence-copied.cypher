// question: Which evidence of a judge only repeats the Player's own evidence?
// Lists the verified verdicts that contain the Player's evidence for their criterion (`repeated`) or for another
// criterion of the task (`misplaced`), with the newest such promise. The statement finds the sessions with
// promises.
// Reads at most the 5,000 most recently active sessions. If there are more, the answer is `truncated`.
// columns: feature, task, world, turn, criterion, basis, promised_for, promised_in, evidence
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.promisedTurn IS NOT NULL
RETURN f.id AS feature, task.id AS task, w.slug AS world, w.key AS key, w.turnCount AS turns
ORDER BY w.lastActivityAt DESC, key LIMIT $limit
