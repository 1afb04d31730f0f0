// Finds for each of some sessions the subagents that it started, or the sessions that started it as a subagent.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})
// when agents
MATCH (s)<-[:AGENT_OF]-(x:TranscriptSession)
// when starters
MATCH (s)-[:AGENT_OF]->(x:TranscriptSession)
// end
RETURN s.key AS session, x.key AS related
