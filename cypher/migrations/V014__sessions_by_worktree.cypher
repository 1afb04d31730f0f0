// A capture finds the transcripts of agents that ran in a worktree of its task (turns/_transcribed). Sessions that were imported before
// get its key, and turns that were captured after them are linked, for a few worlds at a time, which may be repeated.
CREATE INDEX transcript_session_worktree IF NOT EXISTS FOR (n:TranscriptSession) ON (n.worktreeKey);
MATCH (s:TranscriptSession)
WHERE s.cwd CONTAINS '/worktrees/'
WITH s, split(s.cwd, '/worktrees/') AS parts
WITH s, last(split(parts[0], '/')) AS folder, split(parts[1], '/')[0] AS worktree
WHERE folder STARTS WITH '.' AND worktree <> ''
SET s.worktreeKey = split(s.key, '/')[0] + '/' + replace(worktree, '%', '%25')
RETURN count(s) AS sessions;
UNWIND $worldKeys AS worldKey
MATCH (w:World {key: worldKey})-[:HAS_TURN]->(t:Turn)
WHERE size(coalesce(t.transcriptSessionIds, [])) = 0
WITH t, split(w.key, '/')[0] AS project, [w.taskId, w.featureId] AS names,
     coalesce(t.startedAt, [(t)<-[:NEXT]-(previous:Turn) | previous.completedAt][0], t.completedAt) AS begun
UNWIND names AS name
WITH t, begun, project + '/' + replace(replace(name, '%', '%25'), '/', '%2F') AS worktree
MATCH (s:TranscriptSession {worktreeKey: worktree})
WITH t, s, begun
WHERE s.startedAt <= coalesce(t.completedAt, begun) AND s.endedAt >= begun
MERGE (t)-[:TRANSCRIBED_IN]->(s)
RETURN count(*) AS links;
