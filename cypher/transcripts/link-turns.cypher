// Links the turns of an autobuild session to a transcript whose agent worked in the task's worktree at that
// time. A worktree has the name of its task or its feature. A turn that is captured later links itself
// (turns/_transcribed).
// params: $projectKey $worktree $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
MATCH (p:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)-[:HAS_TASK]->(task:Task)
WHERE f.id = $worktree OR task.id = $worktree
MATCH (task)-[:HAS_WORLD]->(w:World)-[:HAS_TURN]->(t:Turn)
WHERE size(coalesce(t.transcriptSessionIds, [])) = 0 // its capture may have named the session
WITH s, t, [(t)<-[:NEXT]-(previous:Turn) | previous.completedAt] AS before
WITH s, t, coalesce(t.startedAt, before[0], t.completedAt) AS begun // default: the end of the previous turn
WHERE s.startedAt <= coalesce(t.completedAt, begun) AND s.endedAt >= begun
MERGE (t)-[:TRANSCRIBED_IN]->(s)
RETURN count(t) AS links
