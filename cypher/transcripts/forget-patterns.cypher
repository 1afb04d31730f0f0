// Deletes patterns without turns: a turn that grew has another pattern.
// params: $keys
UNWIND $keys AS key
MATCH (p:TurnPattern {key: key})
WHERE NOT (p)<-[:FOLLOWS]-(:TranscriptTurn)
DETACH DELETE p
RETURN count(*) AS forgotten
