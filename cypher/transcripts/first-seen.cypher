// When patterns were first followed, by what is known: some of their turns do not say when they began.
// That one is in a session always: an index of Neo4j serves who asks for each of its properties.
// params: $keys $neverMs
UNWIND $keys AS key
MATCH (t:TranscriptTurn {patternKey: key})
WHERE t.begunMs > $neverMs AND t.sessionId IS NOT NULL
RETURN key, min(t.begunMs) AS firstMs
