// The shapes of a project's turns, by how often they occur: grouped by a key as long as any other, and read from the
// index alone on Neo4j; the text is looked up once a shape.
// Patterns of a single tool come last.
// params: $project $minLength $fromMs $limit $arrow
// include transcripts/_by-pattern
MATCH (p:TurnPattern {key: key})
WITH p.pattern AS pattern, count, calls, sessions,
     CASE WHEN p.pattern CONTAINS $arrow THEN 0 ELSE 1 END AS singleTool
ORDER BY singleTool, count DESC, pattern LIMIT $limit
RETURN pattern, count, calls, sessions
