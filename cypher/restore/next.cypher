// The chain of turns. No row of a pair: the turn before is missing.
// params: $batch
UNWIND $batch.rows AS x
MATCH (p:Turn {key: x.before})
MATCH (t:Turn {key: x.key})
CREATE (p)-[:NEXT]->(t)
RETURN count(t) AS written
