// Links the turn to the transcripts of agents that worked in a worktree of its task or feature during the turn.
// `transcripts/link-turns` creates the same links for a transcript that is imported later. A turn without a start
// begins at the end of the turn before it, so the next turn is linked again, too.
CALL (t) {
  MATCH (t)-[:NEXT*0..1]->(x:Turn)
  WHERE size(coalesce(x.transcriptSessionIds, [])) = 0 // its capture may have named the session
  UNWIND $add.worktrees AS worktree
  MATCH (s:TranscriptSession {worktreeKey: worktree})
  WITH x, s, [(x)<-[:NEXT]-(previous:Turn) | previous.completedAt] AS before
  WITH x, s, coalesce(x.startedAt, before[0], x.completedAt) AS begun
  WHERE s.startedAt <= coalesce(x.completedAt, begun) AND s.endedAt >= begun
  MERGE (x)-[:TRANSCRIBED_IN]->(s)
}
