// params: $batch
UNWIND $batch.rows AS x
MATCH (a:SupersededTurn {key: x.above})
MATCH (t:SupersededTurn {key: x.key})
CREATE (a)-[:SUPERSEDES]->(t)
RETURN count(t) AS written
