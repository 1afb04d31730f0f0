// Has a turn follow the pattern of its steps, alone.
// params: $key $patternKey $pattern
MATCH (t:TranscriptTurn {key: $key})
MATCH (p:TurnPattern {key: $patternKey})
CALL (t) { MATCH (t)-[r:FOLLOWS]->() DELETE r }
CREATE (t)-[:FOLLOWS]->(p)
SET t.pattern = $pattern, t.patternKey = $patternKey
RETURN t.key AS key
