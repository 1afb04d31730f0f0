// Deletes the parts of turns that are about to be rewritten.
// params: $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})
CALL (t) { MATCH (t)-[:HAS_FAILED_CALL]->(f:FailedCall) DETACH DELETE f }
CALL (t) { MATCH (t)-[r:STARTED]->(:TranscriptSession) DELETE r }
CALL (t) { MATCH (t)-[r:CALLED]->(:Tool) DELETE r }
CALL (t) { MATCH (t)-[r:FOLLOWS]->(:TurnPattern) DELETE r }
RETURN count(t) AS turns
