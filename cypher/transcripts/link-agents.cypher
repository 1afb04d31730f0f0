// Links the calls of a session to the agents that they started: by the agent's name in the result, else by the call
// that the agent's own file names. Only turns that started any are walked.
// params: $sessionKey
MATCH (p:TranscriptSession {key: $sessionKey})<-[:AGENT_OF]-(c:TranscriptSession)
MATCH (p)-[:HAS_TURN]->(t:TranscriptTurn)-[:HAS_STEP]->(s:Step)
WHERE s.agentId = c.agentId OR s.id = c.parentStepId
MERGE (s)-[:STARTED]->(c)
RETURN count(s) AS links
