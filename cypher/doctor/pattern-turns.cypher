// Counts the turns that follow each pattern, and their calls.
// params: $keys
UNWIND $keys AS key
MATCH (p:TurnPattern {key: key})<-[:FOLLOWS]-(t:TranscriptTurn)
RETURN key, count(t) AS turns, sum(t.length) AS calls
