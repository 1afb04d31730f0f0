// Links the turns of an autobuild session to a transcript whose agent worked in the task's worktree at that time. A
// worktree is named after its task or its feature.
// params: $projectKey $worktree $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
MATCH (p:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)-[:HAS_TASK]->(task:Task)
WHERE f.id = $worktree OR task.id = $worktree
MATCH (task)-[:HAS_WORLD]->(w:World)-[:HAS_TURN]->(t:Turn)
WHERE size(coalesce(t.transcriptSessionIds, [])) = 0 // its capture may have named the session
  AND coalesce(t.startedAt, t.completedAt) <= s.endedAt AND coalesce(t.completedAt, t.startedAt) >= s.startedAt
MERGE (t)-[:TRANSCRIBED_IN]->(s)
RETURN count(t) AS links
