// params: $key $properties
MATCH (t:TranscriptTurn {key: $key})
SET t += $properties
RETURN t.key AS key
