// How often patterns are followed, and with how many calls, counted anew.
// An index of Neo4j serves, as `V003__transcripts` has it, who asks for each of its properties.
// params: $project $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {project: $project, patternKey: key})
WHERE t.length >= 0 AND t.sessionId IS NOT NULL
RETURN key, count(t) AS turns, sum(t.length) AS calls
