// The transcript turns of some sessions with their tokens by model, and all sessions of each. A fork shares turns of
// another session.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})-[:HAS_TURN]->(x:TranscriptTurn)
WHERE x.modelTokens IS NOT NULL
RETURN s.agent AS agent, x.key AS key, x.begunMs AS begunMs, x.models AS models, x.modelTokens AS modelTokens,
       [(x)<-[:HAS_TURN]-(o:TranscriptSession) | o.key] AS sessions
