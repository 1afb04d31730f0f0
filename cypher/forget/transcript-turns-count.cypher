// The turns of some sessions that no other session holds.
// params: $family
UNWIND $family AS key
MATCH (:TranscriptSession {key: key})-[:HAS_TURN]->(t:TranscriptTurn)
WITH DISTINCT t
WHERE NOT EXISTS { MATCH (t)<-[:HAS_TURN]-(o:TranscriptSession) WHERE NOT o.key IN $family }
RETURN count(t) AS turns, coalesce(sum(t.length), 0) AS steps
