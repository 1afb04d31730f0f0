// Sessions of transcripts; one that a turn has named stands already.
// params: $batch
UNWIND $batch.rows AS x
MERGE (s:TranscriptSession {key: x.key})
SET s += x.properties, s.startedAt = datetime(x.at.startedAt), s.endedAt = datetime(x.at.endedAt)
FOREACH (key IN x.agentOf |
  MERGE (p:TranscriptSession {key: key})
  MERGE (s)-[:AGENT_OF]->(p))
RETURN count(s) AS written
