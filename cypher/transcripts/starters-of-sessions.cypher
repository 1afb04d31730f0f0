// The sessions that started some sessions as their subagents.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})-[:AGENT_OF]->(p:TranscriptSession)
RETURN s.key AS session, p.key AS related
