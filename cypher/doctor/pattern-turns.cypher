// Counts again how many turns follow each pattern, and with how many calls. Neo4j uses the index of
// `V003__transcripts` only for a query that has a condition on each of its properties.
// params: $project $keys
UNWIND $keys AS key
MATCH (t:TranscriptTurn {project: $project, patternKey: key})
WHERE t.length >= 0 AND t.sessionId IS NOT NULL
RETURN key, count(t) AS turns, sum(t.length) AS calls
