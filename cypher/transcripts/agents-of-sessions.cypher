// The subagents that some sessions started.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})<-[:AGENT_OF]-(a:TranscriptSession)
RETURN s.key AS session, a.key AS related
