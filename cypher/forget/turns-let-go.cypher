// params: $keys $family
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})<-[h:HAS_TURN]-(s:TranscriptSession)
WHERE s.key IN $family
DELETE h
RETURN count(*) AS gone
