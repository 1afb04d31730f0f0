// Counts the sessions that followed patterns since an instant, with the first and the last time.
// params: $keys $fromMs
UNWIND $keys AS key
MATCH (t:TranscriptTurn {patternKey: key})
WHERE t.sessionId IS NOT NULL AND t.begunMs >= $fromMs // Neo4j uses its index only with a condition on each property
RETURN key, count(DISTINCT t.sessionId) AS sessions, min(t.begunMs) AS firstMs, max(t.begunMs) AS lastMs
