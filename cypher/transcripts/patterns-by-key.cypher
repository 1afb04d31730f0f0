// What is known of the turns that follow some patterns.
// params: $keys
UNWIND $keys AS key
MATCH (p:TurnPattern {key: key})<-[:FOLLOWS]-(t:TranscriptTurn)
RETURN p.key AS key, p.pattern AS pattern, count(t) AS count, avg(t.length) AS avgLength,
       count(DISTINCT t.sessionId) AS sessions, min(t.startedMs) AS firstMs, max(t.startedMs) AS lastMs
