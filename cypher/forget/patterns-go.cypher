// Patterns that no turn follows any more, and what they made somebody wish for.
// params: $keys
UNWIND $keys AS key
MATCH (p:TurnPattern {key: key})
WITH p, key
WHERE NOT (p)<-[:FOLLOWS]-(:TranscriptTurn)
DETACH DELETE p
RETURN key AS key
