// In how many sessions patterns were followed, and when first and last.
// params: $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {patternKey: key})
WHERE t.sessionId IS NOT NULL AND t.begunMs IS NOT NULL // so says the index
RETURN key, count(DISTINCT t.sessionId) AS sessions, min(t.begunMs) AS firstMs, max(t.begunMs) AS lastMs
