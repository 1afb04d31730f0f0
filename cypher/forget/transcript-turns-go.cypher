// params: $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})
DETACH DELETE t
RETURN count(*) AS gone
