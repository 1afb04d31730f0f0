// A turn's own properties and parts; shared by every statement that stores a turn. Each criterion is looked
// up once, with all data of the turn about it: its changes, its verifications and promises, and its progress in
// the world (the edge PROGRESS).
// params: $turn $at $add $world
SET t += $turn,
    t.startedAt = datetime($at.started),
    t.completedAt = completedAt,
    t.createdAt = datetime($at.created),
    w.hasProofFiles = CASE WHEN $add.hasProofFiles THEN true ELSE w.hasProofFiles END
FOREACH (c IN $add.criteria |
  MERGE (k:Criterion {key: c.key})
  FOREACH (properties IN c.changed |
    MERGE (task)-[:HAS_CRITERION]->(k)
    SET k += properties, k.project = $turn.project)
  FOREACH (v IN c.verifications |
    CREATE (t)-[:RECORDED]->(x:Verification {project: $turn.project})-[:OF]->(k)
    SET x += v)
  FOREACH (p IN c.promises |
    CREATE (t)-[:PROMISED]->(x:Promise {project: $turn.project})-[:TO_MEET]->(k)
    SET x += p)
  FOREACH (p IN c.progress |
    MERGE (w)-[r:PROGRESS]->(k)
    SET r += p))
FOREACH (i IN $add.issues |
  CREATE (t)-[:RAISED]->(x:Issue {project: $turn.project})
  SET x += i.properties
  FOREACH (key IN i.criterionKeys |
    MERGE (k:Criterion {key: key})
    CREATE (x)-[:ABOUT]->(k)))
FOREACH (g IN $add.gates | CREATE (t)-[:PASSED_THROUGH]->(x:Gate {project: $turn.project}) SET x += g)
FOREACH (s IN $add.transcripts | // it may be imported later
  MERGE (x:TranscriptSession {key: s.key}) ON CREATE SET x.id = s.id, x.project = s.project
  CREATE (t)-[:TRANSCRIBED_IN]->(x))
FOREACH (f IN $add.files |
  MERGE (x:File {key: f.key}) ON CREATE SET x.path = f.path, x.project = f.project
  CREATE (t)-[:TOUCHED]->(x))
FOREACH (a IN $add.agents | // one list: a write locks the agents in the order of their keys
  MERGE (x:Agent {key: a.key}) ON CREATE SET x.name = a.name, x.model = a.model, x.project = a.project
  FOREACH (_ IN a.judged | CREATE (x)-[:JUDGED]->(t))
  FOREACH (_ IN a.played | CREATE (x)-[:PLAYED]->(t)))
// The state of the world after its newest turn. The caller computed it from the previous state or from all turns. A context
// therefore costs the same after 10 and after 1,000 turns.
SET w += $world
