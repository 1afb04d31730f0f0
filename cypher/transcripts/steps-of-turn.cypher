// A page of the calls of one turn, in order.
// params: $turnKey $after $limit
MATCH (t:TranscriptTurn {key: $turnKey})-[:HAS_STEP]->(s:Step)-[:USED]->(k:Tool)
WHERE s.sequence > $after
WITH s, k ORDER BY s.sequence LIMIT $limit
RETURN s.sequence AS sequence, k.name AS tool, s.status AS status, s.isParallel AS isParallel,
       s.parallelGroup AS parallelGroup, s.durationMs AS durationMs, s.error AS error, s.agentId AS agentId,
       [(s)-[:STARTED]->(agent:TranscriptSession) | agent.agentId] AS startedIds
ORDER BY sequence
