// Takes what hangs on turns that are about to be written anew.
// params: $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})
CALL (t) { MATCH (t)-[:HAS_STEP]->(s:Step) DETACH DELETE s }
CALL (t) { MATCH (t)-[r:CALLED]->(:Tool) DELETE r }
CALL (t) { MATCH (t)-[r:FOLLOWS]->(:TurnPattern) DELETE r }
RETURN count(t) AS turns
