// A turn's own properties and parts; shared by every statement that stores a turn.
// params: $turn $startedAt $completedAt $createdAt $verifications $promises $issues $gates
SET t += $turn,
    t.startedAt = datetime($startedAt),
    t.completedAt = datetime($completedAt),
    t.createdAt = datetime($createdAt)
FOREACH (v IN $verifications |
  MERGE (c:Criterion {key: v.criterionKey})
  CREATE (t)-[:RECORDED]->(x:Verification)-[:OF]->(c)
  SET x += v.properties)
FOREACH (p IN $promises |
  MERGE (c:Criterion {key: p.criterionKey})
  CREATE (t)-[:PROMISED]->(x:Promise)-[:TO_MEET]->(c)
  SET x += p.properties)
FOREACH (i IN $issues |
  CREATE (t)-[:RAISED]->(x:Issue)
  SET x += i.properties
  FOREACH (key IN i.criterionKeys |
    MERGE (c:Criterion {key: key})
    CREATE (x)-[:ABOUT]->(c)))
FOREACH (g IN $gates | CREATE (t)-[:PASSED_THROUGH]->(x:Gate) SET x += g)
