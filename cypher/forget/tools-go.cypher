// Tools that nothing calls any more.
// params: $keys
UNWIND $keys AS key
MATCH (k:Tool {key: key})
WITH k, EXISTS { MATCH (k)<-[:CALLED]-(:TranscriptTurn) } OR EXISTS { MATCH (k)<-[:STARTS_WITH]-(:TurnPattern) }
          OR EXISTS { MATCH (k)<-[:USED]-(:Step) } AS isUsed
WHERE NOT isUsed
DETACH DELETE k
RETURN count(*) AS gone
