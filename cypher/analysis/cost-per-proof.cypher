// question: How many tokens does a newly verified criterion cost, by agent and model?
// Adds up the tokens of turns: the sum over the transcripts of each turn, or the usage that its record reports
// (`source`: transcripts or record). A turn with several models counts in the row of each. `newly_verified` is the
// number of criteria that these turns verified first. Turns without known tokens are the row whose tokens are null.
// The statement finds, for each session, the turns that verified a criterion first, once per criterion.
// Reads at most the 5,000 most recently active sessions. If there are more, the sums are partial and the answer is
// `truncated`.
// columns: source, agent, model, turns, tokens, input, output, cache_read, cache_creation, newly_verified, tokens_per_proof
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.currentTurn > 0
CALL (w) {
  MATCH (w)-[r:PROGRESS]->(:Criterion)
  WHERE r.verifiedInTurn IS NOT NULL
  RETURN collect(r.verifiedInTurn) AS verified_in
}
RETURN w.key AS key, verified_in
ORDER BY w.lastActivityAt DESC, key LIMIT $limit
