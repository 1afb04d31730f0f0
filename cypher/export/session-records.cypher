// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})
RETURN properties(s) AS session, [(s)-[:AGENT_OF]->(p:TranscriptSession) | p.key] AS agentOf
