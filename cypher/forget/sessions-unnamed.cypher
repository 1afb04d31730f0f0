// Such sessions go when no turn names them any more, unless they are known as the parent of an agent.
// params: $keys
UNWIND $keys AS key
MATCH (s:TranscriptSession {key: key})
WITH s, EXISTS { MATCH (s)<-[:TRANSCRIBED_IN]-() } OR EXISTS { MATCH (s)<-[:AGENT_OF]-() } AS isKnown
WHERE s.isTranscribed IS NULL AND NOT isKnown
DETACH DELETE s
RETURN count(*) AS sessions
