// A turn's own properties and parts; shared by every statement that stores a turn. Each criterion is looked up
// once, with all that the turn says of it: what is new about it, its verifications and promises, what a label
// means from now on, and where it stands in the world (criteria/_progress).
// Only strings, whole numbers and maps are parameters of their own: Neo4j plans a statement anew for every
// combination of parameter types, and null or an empty list is a type.
// params: $turn $at $add $turnNumber
SET t += $turn,
    t.startedAt = datetime($at.started),
    t.completedAt = completedAt,
    t.createdAt = datetime($at.created),
    w.hasProofFiles = CASE WHEN $add.hasProofFiles THEN true ELSE w.hasProofFiles END
FOREACH (c IN $add.criteria |
  MERGE (k:Criterion {key: c.key})
  FOREACH (properties IN c.changed |
    MERGE (task)-[:HAS_CRITERION]->(k)
    SET k += properties)
  FOREACH (l IN c.labels |
    MERGE (w)-[:LABELS {source: l.source, label: l.label, turn: $turnNumber}]->(k))
  FOREACH (v IN c.verifications |
    CREATE (t)-[:RECORDED]->(x:Verification)-[:OF]->(k)
    SET x += v)
  FOREACH (p IN c.promises |
    CREATE (t)-[:PROMISED]->(x:Promise)-[:TO_MEET]->(k)
    SET x += p)
  FOREACH (p IN c.progress |
    MERGE (w)-[r:PROGRESS]->(k)
    SET r += p))
FOREACH (i IN $add.issues |
  CREATE (t)-[:RAISED]->(x:Issue)
  SET x += i.properties
  FOREACH (key IN i.criterionKeys |
    MERGE (k:Criterion {key: key})
    CREATE (x)-[:ABOUT]->(k)))
FOREACH (g IN $add.gates | CREATE (t)-[:PASSED_THROUGH]->(x:Gate) SET x += g)
FOREACH (s IN $add.transcripts | // it may be imported later
  MERGE (x:TranscriptSession {key: s.key}) ON CREATE SET x.id = s.id, x.project = s.project
  CREATE (t)-[:TRANSCRIBED_IN]->(x))
// params: $topics
FOREACH (topics IN [$topics] | // to carry the map on by WITH costs Grafeo 0.3 ms
// include elsewhere/_add-to-topics
)
// Where each criterion of the world stands after its newest turn is derived from the ledger by the capture and
// kept on the edge PROGRESS, so that a context costs the same after 10 and after 1,000 turns. `progressSum`
// lets a reader see a torn commit.
// params: $ledger
FOREACH (_ IN CASE WHEN $ledger.touched THEN [1] ELSE [] END |
  SET w.ledgerRev = $ledger.rev + 1, w += $ledger.counters)
