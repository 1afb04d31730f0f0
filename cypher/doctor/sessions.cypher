// A page of the sessions of a project, with what each hangs on.
// params: $prefix $after $limit
MATCH (s:TranscriptSession)
WHERE s.key STARTS WITH $prefix AND s.key > $after
WITH s
ORDER BY s.key
LIMIT $limit
RETURN s.key AS key, properties(s) AS held, size([(s)<-[:HOLDS]-(f:TranscriptFile) | 1]) AS files,
       EXISTS { MATCH (s)<-[:TRANSCRIBED_IN]-() } AS isNamed, EXISTS { MATCH (s)<-[:AGENT_OF]-() } AS hasAgents,
       EXISTS { MATCH (s)-[:HAS_TURN]->() } AS hasTurns
ORDER BY key
