// Ended attempts. Their run comes after them, so it is made by its key.
// params: $batch
UNWIND $batch.rows AS x
MATCH (w:World {key: x.world})
CREATE (w)-[:HAS_ATTEMPT]->(a:Attempt {key: x.key})
SET a += x.properties, a.startedAt = datetime(x.at.startedAt), a.endedAt = datetime(x.at.endedAt)
FOREACH (key IN x.ofRun | MERGE (r:TurnRun {key: key}) CREATE (r)-[:HAS_ATTEMPT]->(a))
RETURN count(a) AS written
