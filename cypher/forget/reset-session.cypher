// Makes of a session what it is where nobody has imported it: a name for the turns that name it. Links that were drawn
// because of where and when it ran go.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
CALL (s) { MATCH (s)<-[r:TRANSCRIBED_IN]-(t) WHERE NOT coalesce(s.id IN t.transcriptSessionIds, false) DELETE r }
CALL (s) { MATCH (s)-[r:AGENT_OF]->(:TranscriptSession) DELETE r }
CALL (s) { MATCH (s)<-[r:AGENT_OF]-(:TranscriptSession) DELETE r }
CALL (s) { MATCH (s)<-[r:STARTED]-(:Step) DELETE r }
SET s.isTranscribed = null, s.agentId = null, s.parentStepId = null, s.cwd = null, s.worktreeKey = null, s.version = null,
    s.startedAt = null, s.endedAt = null
RETURN s.key AS key
