// In how many sessions patterns were followed since some instant, and when first and last.
// params: $keys $fromMs
UNWIND $keys AS key
MATCH (t:TranscriptTurn {patternKey: key})
WHERE t.sessionId IS NOT NULL AND t.begunMs >= $fromMs // an index of Neo4j serves those who ask for each of its properties
RETURN key, count(DISTINCT t.sessionId) AS sessions, min(t.begunMs) AS firstMs, max(t.begunMs) AS lastMs
