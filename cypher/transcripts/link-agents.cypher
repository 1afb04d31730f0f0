// Links calls to the agents that they started, of some sessions and their agents: by the agent's name in the
// result, or by the call that the agent's own file names.
// params: $sessionKeys
UNWIND $sessionKeys AS key
MATCH (p:TranscriptSession {key: key})<-[:AGENT_OF]-(c:TranscriptSession)
WITH p, collect(c.agentId) AS agentIds, collect(c.parentStepId) AS stepIds
MATCH (p)<-[:AGENT_OF*0..1]-(h:TranscriptSession)-[:HAS_TURN]->(t:TranscriptTurn)-[:HAS_STEP]->(s:Step)
WHERE s.agentId IN agentIds OR s.id IN stepIds
WITH p, collect(s) AS steps
MATCH (p)<-[:AGENT_OF]-(c:TranscriptSession)
UNWIND steps AS s
WITH c, s
WHERE s.agentId = c.agentId OR s.id = c.parentStepId
MERGE (s)-[:STARTED]->(c)
RETURN count(s) AS links
