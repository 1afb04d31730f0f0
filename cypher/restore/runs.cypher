// Ended runs; their attempts hang on them already.
// params: $batch
UNWIND $batch.rows AS x
MATCH (w:World {key: x.world})
MERGE (r:TurnRun {key: x.key})
SET r += x.properties, r.enqueuedAt = datetime(x.at.enqueuedAt), r.startedAt = datetime(x.at.startedAt),
    r.cancelRequestedAt = datetime(x.at.cancelRequestedAt), r.endedAt = datetime(x.at.endedAt)
CREATE (w)-[:HAS_RUN]->(r)
RETURN count(r) AS written
