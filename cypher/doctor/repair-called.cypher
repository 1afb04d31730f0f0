// Replaces the numbers of a turn's calls and errors per tool.
// params: $key $called
MATCH (t:TranscriptTurn {key: $key})
CALL (t) { MATCH (t)-[r:CALLED]->() DELETE r }
WITH t
UNWIND $called AS x
MATCH (k:Tool {key: x.key})
CREATE (t)-[:CALLED {calls: x.calls, errors: x.errors}]->(k)
RETURN t.key AS key
