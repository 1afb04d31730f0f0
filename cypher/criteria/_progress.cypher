// Creates the edges to the criteria of a world, each with its state after the newest turn. `SET r += …` on an edge that
// was just created fails on the embedded engine.
FOREACH (p IN progress |
  MERGE (c:Criterion {key: p.criterion})
  CREATE (w)-[:PROGRESS {state: p.state, rejections: p.rejections, basis: p.basis, verifiedInTurn: p.verifiedInTurn,
    lastVerifiedTurn: p.lastVerifiedTurn, observedAt: p.observedAt, contestedInTurn: p.contestedInTurn, judged: p.judged}]->(c))
