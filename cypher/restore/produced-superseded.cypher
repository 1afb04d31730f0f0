// params: $batch
UNWIND $batch.rows AS x
MATCH (a:Attempt {key: x.key})
MATCH (t:SupersededTurn {key: x.produced})
CREATE (a)-[:PRODUCED]->(t)
RETURN count(t) AS written
