// What a file has brought into the graph: its turns, and all calls that it gave, each by its response and
// its id. What comes again is a copy.
// params: $key
MATCH (:TranscriptFile {key: $key})-[:HOLDS]->(s:TranscriptSession)-[:HAS_TURN]->(t:TranscriptTurn)
OPTIONAL MATCH (t)-[:HAS_STEP]->(step:Step)
WHERE t.fileKey = $key
RETURN collect(DISTINCT t.id) AS turns, collect(coalesce(step.response, '') + '\n' + step.id) AS calls
