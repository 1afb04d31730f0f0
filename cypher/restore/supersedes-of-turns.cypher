// params: $batch
UNWIND $batch.rows AS x
MATCH (a:Turn {key: x.above})
MATCH (t:SupersededTurn {key: x.key})
CREATE (a)-[:SUPERSEDES]->(t)
RETURN count(t) AS written
