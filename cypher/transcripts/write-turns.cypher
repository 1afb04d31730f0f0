// Writes turns with their steps, some hundred per statement. Tools and patterns are hubs: each is looked up
// once per turn, and existing ones are not changed here. The steps that `paths` reads have a separate label:
// 4 % of all steps.
// params: $batch
UNWIND $batch.turns AS x
MERGE (t:TranscriptTurn {key: x.key})
SET t += x.properties, t.startedAt = datetime(x.startedAt)
FOREACH (p IN x.follows |
  MERGE (k:Tool {key: p.tool.key}) ON CREATE SET k.name = p.tool.name, k.project = x.properties.project
  MERGE (n:TurnPattern {key: p.key})
  ON CREATE SET n.pattern = p.pattern, n.project = x.properties.project, n.turns = 0, n.calls = 0
  MERGE (n)-[:STARTS_WITH]->(k)
  CREATE (t)-[:FOLLOWS]->(n))
FOREACH (c IN x.calls |
  MERGE (k:Tool {key: c.key}) ON CREATE SET k.name = c.name, k.project = x.properties.project
  CREATE (t)-[:CALLED {calls: c.calls, errors: c.errors}]->(k)
  FOREACH (s IN c.steps |
    CREATE (t)-[:HAS_STEP]->(:Step {
      id: s[0], sequence: s[1], status: s[2], isParallel: s[3], durationMs: s[4], agentId: s[5],
      parallelGroup: s[6], response: s[7]})-[:USED]->(k))
  FOREACH (s IN c.failed |
    CREATE (t)-[:HAS_STEP]->(z:Step:FailedStep {
      id: s.row[0], sequence: s.row[1], status: s.row[2], isParallel: s.row[3], durationMs: s.row[4],
      agentId: s.row[5], parallelGroup: s.row[6], response: s.row[7]})-[:USED]->(k)
    SET z += s.more))
RETURN count(t) AS turns
