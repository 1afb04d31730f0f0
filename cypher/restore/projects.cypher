// params: $batch
UNWIND $batch.rows AS x
MERGE (p:Project {key: x.key})
ON CREATE SET p.name = x.name
RETURN count(p) AS written
