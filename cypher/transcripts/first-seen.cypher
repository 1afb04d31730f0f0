// When patterns were first followed, by what is known: some of their turns do not say when they began.
// params: $keys $neverMs
UNWIND $keys AS key
MATCH (t:TranscriptTurn {patternKey: key})
WHERE t.begunMs > $neverMs
RETURN key, min(t.begunMs) AS firstMs
