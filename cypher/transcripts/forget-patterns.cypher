// Patterns that no turn follows any more: a turn that grew has another shape.
// params: $keys
UNWIND $keys AS key
MATCH (p:TurnPattern {key: key})
WHERE NOT (p)<-[:FOLLOWS]-(:TranscriptTurn)
DETACH DELETE p
RETURN count(*) AS forgotten
