// A page of the turns of a session, with what leads to them and from them.
// params: $sessionKey $after $limit
MATCH (s:TranscriptSession {key: $sessionKey})-[:HAS_TURN]->(t:TranscriptTurn)
WHERE t.key > $after
WITH t
ORDER BY t.key
LIMIT $limit
RETURN t.key AS key, properties(t) AS held, [(t)<-[:HAS_TURN]-(x:TranscriptSession) | x.id] AS holders,
       [(t)-[:FOLLOWS]->(p:TurnPattern) | p.key] AS follows, [(t)-[c:CALLED]->(k:Tool) | [k.name, c.calls, c.errors]] AS called
ORDER BY key
