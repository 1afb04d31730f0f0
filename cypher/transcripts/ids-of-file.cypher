// The turns of a file in the graph, with the calls that the file delivered, each by its response and its id. An
// import skips records that are already among them.
// params: $key
MATCH (:TranscriptFile {key: $key})-[:HOLDS]->(:TranscriptSession)-[:HAS_TURN]->(t:TranscriptTurn)
WITH DISTINCT t
RETURN t.id AS turn, CASE WHEN t.fileKey = $key THEN t.callIds ELSE [] END AS callIds,
       CASE WHEN t.fileKey = $key THEN t.responses ELSE [] END AS responses
