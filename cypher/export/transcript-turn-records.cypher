// Turns of transcripts with their calls, by key.
// params: $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {key: key})
RETURN properties(t) AS turn,
       [(t)<-[h:HAS_TURN]-(x:TranscriptSession) | [x.key, h.index]] AS heldBy,
       [(t)-[:HAS_STEP]->(s:Step)-[:USED]->(k:Tool) | [k.name, properties(s)]] AS steps,
       [(t)-[:HAS_STEP]->(s:Step)-[:STARTED]->(c:TranscriptSession) | [s.sequence, c.key]] AS started
