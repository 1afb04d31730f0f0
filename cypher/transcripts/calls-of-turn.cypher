// The calls of one turn, with the errors of the failed ones and the agents that they started.
// params: $turnKey
MATCH (t:TranscriptTurn {key: $turnKey})
RETURN t.tools AS tools, t.callIds AS callIds, t.statuses AS statuses, t.parallelGroups AS parallelGroups,
       t.durationsMs AS durationsMs, t.agentIds AS agentIds, t.responses AS responses,
       [(t)-[:HAS_FAILED_CALL]->(f:FailedCall) | [f.sequence, f.error]] AS errors,
       [(t)-[s:STARTED]->(agent:TranscriptSession) | [s.sequence, agent.agentId]] AS started
