// Sessions that stand here because turns of this world name them, and the turns elsewhere that do, too.
// params: $worldKey
MATCH (w:World {key: $worldKey})-[:HAS_TURN]->(t:Turn)-[:TRANSCRIBED_IN]->(s:TranscriptSession)
WHERE s.isTranscribed IS NULL
WITH DISTINCT s, w.key + '/' AS prefix
WHERE NOT EXISTS { MATCH (s)<-[:AGENT_OF]-() }
RETURN s.key AS key, [(s)<-[:TRANSCRIBED_IN]-(o) WHERE NOT o.key STARTS WITH prefix | o.key] AS others
