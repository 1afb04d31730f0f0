// The turns of a file in the graph, and all calls that it delivered, each by its response and its id. An
// import skips records that are already among them.
// params: $key
MATCH (:TranscriptFile {key: $key})-[:HOLDS]->(s:TranscriptSession)-[:HAS_TURN]->(t:TranscriptTurn)
OPTIONAL MATCH (t)-[:HAS_STEP]->(step:Step)
WHERE t.fileKey = $key
RETURN collect(DISTINCT t.id) AS turns, collect(coalesce(step.response, '') + '\n' + step.id) AS calls
