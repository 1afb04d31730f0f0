// The transcript turns of some sessions with their tokens by model. A fork shares turns of another session.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})-[:HAS_TURN]->(x:TranscriptTurn)
WHERE x.modelTokens IS NOT NULL
RETURN s.key AS session, s.agent AS agent, x.key AS key, x.begunMs AS begunMs, x.models AS models,
       x.modelTokens AS modelTokens
