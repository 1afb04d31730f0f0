// A session that turns name stays as one that nobody has imported.
// params: $sessionKey
MATCH (s:TranscriptSession {key: $sessionKey})
CALL (s) { MATCH (s)-[r:AGENT_OF]->(:TranscriptSession) DELETE r }
CALL (s) { MATCH (s)<-[r:AGENT_OF]-(:TranscriptSession) DELETE r }
CALL (s) { MATCH (s)<-[r:STARTED]-(:Step) DELETE r }
SET s.isTranscribed = null, s.agentId = null, s.parentStepId = null, s.cwd = null, s.version = null,
    s.startedAt = null, s.endedAt = null
RETURN s.key AS key
