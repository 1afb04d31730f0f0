// params: $token
SET t += x.properties, t.writeId = $token, t.startedAt = datetime(x.at.startedAt),
    t.completedAt = datetime(x.at.completedAt), t.createdAt = datetime(x.at.createdAt)
FOREACH (c IN x.criteria |
  MERGE (k:Criterion {key: c.key})
  FOREACH (v IN c.verifications |
    CREATE (t)-[:RECORDED]->(:Verification {
      position: v[0], form: v[1], criterionId: v[2], criterionText: v[3], status: v[4], source: v[5], evidence: v[6],
      substantiated: v[7]})-[:OF]->(k))
  FOREACH (p IN c.promises |
    CREATE (t)-[:PROMISED]->(:Promise {
      position: p[0], criterionId: p[1], criterionText: p[2], status: p[3], evidence: p[4], evidenceType: p[5],
      confidence: p[6], testFile: p[7], implementationFiles: p[8]})-[:TO_MEET]->(k)))
FOREACH (i IN x.issues |
  CREATE (t)-[:RAISED]->(y:Issue)
  SET y += i.properties
  FOREACH (key IN i.about | MERGE (k:Criterion {key: key}) CREATE (y)-[:ABOUT]->(k)))
FOREACH (g IN x.gates | CREATE (t)-[:PASSED_THROUGH]->(y:Gate) SET y += g)
FOREACH (s IN x.transcribedIn |
  MERGE (y:TranscriptSession {key: s.key}) ON CREATE SET y += s
  CREATE (t)-[:TRANSCRIBED_IN]->(y))
