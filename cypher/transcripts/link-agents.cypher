// Links the turns of some sessions and of their agents to the agents that their calls started. Finds an agent by
// its id in the result of the call, or by the id of the call in the agent's own file.
// params: $sessionKeys
UNWIND $sessionKeys AS key
MATCH (p:TranscriptSession {key: key})<-[:AGENT_OF]-(c:TranscriptSession)
WITH p, collect(c.agentId) AS agentIds, collect(c.parentStepId) AS callIds
MATCH (p)<-[:AGENT_OF*0..1]-(:TranscriptSession)-[:HAS_TURN]->(t:TranscriptTurn)
WHERE any(id IN t.agentIds WHERE id IN agentIds) OR any(id IN t.callIds WHERE id IN callIds)
WITH p, collect(DISTINCT t) AS turns
MATCH (p)<-[:AGENT_OF]-(c:TranscriptSession)
UNWIND turns AS t
WITH c, t
WHERE c.agentId IN t.agentIds OR c.parentStepId IN t.callIds
UNWIND [i IN range(0, size(t.callIds) - 1) WHERE t.agentIds[i] = c.agentId OR t.callIds[i] = c.parentStepId] AS place
MERGE (t)-[:STARTED {sequence: place}]->(c)
RETURN count(*) AS links
