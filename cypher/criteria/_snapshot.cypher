// The state of each criterion of the world after its newest turn, and the properties that the world keeps of
// its newest turns: as cheap after 1,000 turns as after 10.
w {.slug, .key, .taskKey, .currentTurn, .turnCount, .progressSum, .outcomes, .promisedTurn, .promisedDigest, .newestDigest, .specifiedAfter, .hasProofFiles,
          deleted: w.deletedAt IS NOT NULL} AS world,
       [(w)-[r:PROGRESS]->(c:Criterion) | [r.kept,
// include criteria/_criterion
       ]] AS criteriaProgress
