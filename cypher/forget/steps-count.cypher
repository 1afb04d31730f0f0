// params: $keys
UNWIND $keys AS key
MATCH (:TranscriptTurn {key: key})-[:HAS_STEP]->(s:Step)
RETURN count(s) AS steps
