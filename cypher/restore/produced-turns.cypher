// params: $batch
UNWIND $batch.rows AS x
MATCH (a:Attempt {key: x.key})
MATCH (t:Turn {key: x.produced})
CREATE (a)-[:PRODUCED]->(t)
RETURN count(t) AS written
