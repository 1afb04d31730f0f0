// The stored turns of a file, with the response and the id of each call that the file provided. An
// import skips records that are already among them.
// params: $key
MATCH (:TranscriptFile {key: $key})-[:HOLDS]->(:TranscriptSession)-[:HAS_TURN]->(t:TranscriptTurn)
WITH DISTINCT t
RETURN t.id AS turn, CASE WHEN t.fileKey = $key THEN t.callIds ELSE [] END AS callIds,
       CASE WHEN t.fileKey = $key THEN t.responses ELSE [] END AS responses
