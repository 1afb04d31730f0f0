// params: $batch
UNWIND $batch.rows AS x
MATCH (p:Project {key: x.project})
MERGE (f:Feature {key: x.key})
ON CREATE SET f.id = x.id
MERGE (p)-[:HAS_FEATURE]->(f)
RETURN count(f) AS written
