// The ids of all calls that a file's sessions hold: one that comes again in it is a copy.
// params: $key
MATCH (:TranscriptFile {key: $key})-[:HOLDS]->(:TranscriptSession)-[:HAS_TURN]->(:TranscriptTurn)-[:HAS_STEP]->(s:Step)
RETURN collect(s.id) AS ids
