// question: What did sessions spend after everything was verified?
// Lists the sessions that `turns-after-all-was-proven` lists, with the tokens of the later turns: the sum over the
// transcripts of each turn, or the usage that its record reports. `measured` is the number of later turns with
// known tokens. If it is 0, the tokens are null. `share` is the part of the later turns in the known tokens of the
// session. The statement finds the sessions.
// Reads at most the 5,000 most recently active sessions. If there are more, the answer is `truncated`.
// columns: feature, task, world, criteria, proven_in, turns, measured, tokens, input, output, cache_read, cache_creation, share
// params: $projectKey $feature $task $world $limit
// include analysis/_all-proven
RETURN w.key AS key, f.id AS feature, task.id AS task, w.slug AS world, criteria, provenIn AS proven_in
ORDER BY w.lastActivityAt DESC, key LIMIT $limit
