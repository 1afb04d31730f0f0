// Writes several hundred turns with their calls. The calls are lists of the turn; only failed calls are nodes, too.
// Many turns share a tool or a pattern, so each is looked up once per turn, and an existing one is not changed.
// params: $batch
UNWIND $batch.turns AS x
MERGE (t:TranscriptTurn {key: x.key})
SET t += x.properties, t.startedAt = datetime(x.startedAt)
FOREACH (p IN x.follows |
  MERGE (k:Tool {key: p.tool.key}) ON CREATE SET k.name = p.tool.name, k.project = x.properties.project
  MERGE (n:TurnPattern {key: p.key})
  ON CREATE SET n.pattern = p.pattern, n.project = x.properties.project
  MERGE (n)-[:STARTS_WITH]->(k)
  CREATE (t)-[:FOLLOWS]->(n))
FOREACH (c IN x.called |
  MERGE (k:Tool {key: c.key}) ON CREATE SET k.name = c.name, k.project = x.properties.project
  CREATE (t)-[:CALLED {calls: c.calls, errors: c.errors}]->(k))
FOREACH (f IN x.failed |
  CREATE (t)-[:HAS_FAILED_CALL]->(z:FailedCall)
  SET z += f)
RETURN count(t) AS turns
