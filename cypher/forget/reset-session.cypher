// Resets a session to the state without an import: only a name for the turns that refer to it. Deletes the
// links that were derived from the place and time of the session.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
CALL (s) { MATCH (s)<-[r:TRANSCRIBED_IN]-(t) WHERE NOT coalesce(s.id IN t.transcriptSessionIds, false) DELETE r }
CALL (s) { MATCH (s)-[r:AGENT_OF]->(:TranscriptSession) DELETE r }
CALL (s) { MATCH (s)<-[r:AGENT_OF]-(:TranscriptSession) DELETE r }
CALL (s) { MATCH (s)<-[r:STARTED]-(:TranscriptTurn) DELETE r }
SET s.isTranscribed = null, s.agent = null, s.agentId = null, s.parentStepId = null, s.cwd = null, s.worktreeKey = null, s.version = null,
    s.startedAt = null, s.endedAt = null
RETURN s.key AS key
