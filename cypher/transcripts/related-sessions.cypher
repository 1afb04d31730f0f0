// The subagents that some sessions started, or the sessions that started them as their subagents.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})
// when agents
MATCH (s)<-[:AGENT_OF]-(x:TranscriptSession)
// when starters
MATCH (s)-[:AGENT_OF]->(x:TranscriptSession)
// end
RETURN s.key AS session, x.key AS related
