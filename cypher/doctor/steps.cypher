// The steps of turns, each with its tool.
// params: $keys
UNWIND $keys AS key
MATCH (:TranscriptTurn {key: key})-[:HAS_STEP]->(x:Step)
RETURN key, labels(x) AS labels, properties(x) AS held, [(x)-[:USED]->(k:Tool) | k.name] AS tools
