// The transcript sessions in which the turns of each task were worked on, withdrawn turns included.
// params: $projectKey
MATCH (p:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)-[:HAS_TASK]->(task:Task)-[:HAS_WORLD]->(w:World)
MATCH (w)-[:HAS_TURN|SUPERSEDES]->(t)
MATCH (t)-[:TRANSCRIBED_IN]->(s:TranscriptSession)
RETURN DISTINCT f.id AS featureId, task.id AS taskId, s.id AS sessionId
