// Writes turns with their steps: some 1,000 steps a statement on Neo4j (22,000 steps/s; 14,000 in statements of 250),
// 250 on the embedded engine, whose memory stays flat then. Tools and patterns are hubs, so nothing is set on those
// that stand already. What `paths` looks at has a label of its own: 4 % of all steps.
// params: $batch
UNWIND $batch.turns AS x
MERGE (t:TranscriptTurn {key: x.key})
SET t += x.properties, t.startedAt = datetime(x.startedAt)
FOREACH (p IN x.follows |
  MERGE (k:Tool {key: p.tool.key}) ON CREATE SET k.name = p.tool.name, k.project = x.properties.project
  MERGE (n:TurnPattern {key: p.key}) ON CREATE SET n.pattern = p.pattern, n.project = x.properties.project
  MERGE (n)-[:STARTS_WITH]->(k)
  CREATE (t)-[:FOLLOWS]->(n))
FOREACH (c IN x.calls |
  MERGE (k:Tool {key: c.key}) ON CREATE SET k.name = c.name, k.project = x.properties.project
  CREATE (t)-[:CALLED {calls: c.calls, errors: c.errors}]->(k))
FOREACH (s IN x.steps |
  MERGE (k:Tool {key: s.tool})
  CREATE (t)-[:HAS_STEP]->(z:Step)-[:USED]->(k)
  SET z += s.properties)
FOREACH (s IN x.failed |
  MERGE (k:Tool {key: s.tool})
  CREATE (t)-[:HAS_STEP]->(z:Step:FailedStep)-[:USED]->(k)
  SET z += s.properties)
RETURN count(t) AS turns
