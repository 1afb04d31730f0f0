// Where each criterion of the world stands after its newest turn: derived from the ledger by the capture, kept
// on an edge so that a context costs the same after 10 and after 1,000 turns. It was computed from what was
// read, so it is written only if the ledger has not moved since. `progressSum` lets a reader see a torn commit.
// params: $progress $resetProgress $touchesLedger $ledgerRev $progressSum
CALL (w) { MATCH (w)-[r:PROGRESS]->(:Criterion) WHERE $resetProgress DELETE r }
FOREACH (p IN $progress |
  MERGE (c:Criterion {key: p.criterionKey})
  MERGE (w)-[r:PROGRESS]->(c)
  SET r += p.properties)
FOREACH (_ IN CASE WHEN $touchesLedger THEN [1] ELSE [] END |
  SET w.ledgerRev = $ledgerRev + 1, w.progressSum = $progressSum)
