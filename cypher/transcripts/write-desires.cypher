// Writes the current desires, each linked to its pattern.
// params: $batch
UNWIND $batch.desires AS x
MATCH (p:TurnPattern {key: x.key})
MERGE (d:Desire {key: x.key})
SET d += x.properties, d.firstSeen = datetime(x.firstSeen), d.lastSeen = datetime(x.lastSeen)
MERGE (d)-[:SURFACED_FROM]->(p)
RETURN count(d) AS desires
