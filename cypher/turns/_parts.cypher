// A turn's own properties and parts; shared by every statement that stores a turn. Each criterion is looked up
// once, with all that the turn says of it: what is new about it, its verifications and promises, what a label
// means from now on, and where it stands in the world (criteria/_progress).
// params: $turn $startedAt $completedAt $createdAt $criteria $issues $gates $turnNumber
SET t += $turn,
    t.startedAt = datetime($startedAt),
    t.completedAt = datetime($completedAt),
    t.createdAt = datetime($createdAt)
FOREACH (c IN $criteria |
  MERGE (k:Criterion {key: c.key})
  FOREACH (properties IN c.changed |
    MERGE (task)-[:HAS_CRITERION]->(k)
    SET k += properties)
  FOREACH (v IN c.verifications |
    CREATE (t)-[:RECORDED]->(x:Verification)-[:OF]->(k)
    SET x += v)
  FOREACH (p IN c.promises |
    CREATE (t)-[:PROMISED]->(x:Promise)-[:TO_MEET]->(k)
    SET x += p)
  FOREACH (l IN c.labels |
    MERGE (w)-[:LABELS {source: l.source, label: l.label, turn: $turnNumber}]->(k))
  FOREACH (p IN c.progress |
    MERGE (w)-[r:PROGRESS]->(k)
    SET r += p))
FOREACH (i IN $issues |
  CREATE (t)-[:RAISED]->(x:Issue)
  SET x += i.properties
  FOREACH (key IN i.criterionKeys |
    MERGE (k:Criterion {key: key})
    CREATE (x)-[:ABOUT]->(k)))
FOREACH (g IN $gates | CREATE (t)-[:PASSED_THROUGH]->(x:Gate) SET x += g)
// Where each criterion of the world stands after its newest turn is derived from the ledger by the capture and
// kept on the edge PROGRESS, so that a context costs the same after 10 and after 1,000 turns. `progressSum`
// lets a reader see a torn commit.
// params: $touchesLedger $ledgerRev $progressSum
FOREACH (_ IN CASE WHEN $touchesLedger THEN [1] ELSE [] END |
  SET w.ledgerRev = $ledgerRev + 1, w.progressSum = $progressSum)
