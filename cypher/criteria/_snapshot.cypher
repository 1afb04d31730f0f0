// The state of the world after its newest turn, and the criteria in it: as cheap after 1,000 turns as after 10.
w {.slug, .key, .taskKey, .currentTurn, .turnCount, .state, .specifiedAfter, .hasProofFiles,
          deleted: w.deletedAt IS NOT NULL} AS world,
       [(w)-[:PROGRESS]->(c:Criterion) |
// include criteria/_criterion
       ] AS namedCriteria
