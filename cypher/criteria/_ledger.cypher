// The world's append-only ledger below a turn, of a world that has no more turns than the caller wants to read
// ($ledgerUpTo), with each turn's counts: a reader that raced a commit compares and reads again. Rows are lists:
// half the cost of maps.
// params: $ledgerUpTo $turnNumber
       [(w)-[:HAS_TURN]->(x:Turn) WHERE w.turnCount <= $ledgerUpTo AND x.number < $turnNumber |
         [x.number, x.verificationCount, x.promiseCount, x.outcome]] AS turns,
       [(w)<-[:HAS_WORLD]-(:Task)-[:HAS_CRITERION]->(c:Criterion) WHERE w.turnCount <= $ledgerUpTo |
         [c.key, c.texts, c.textSources, c.labels, c.labelSources, c.mergedInto, c.worldKey]] AS criteria,
       [(w)-[:HAS_TURN]->(x:Turn)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
         WHERE w.turnCount <= $ledgerUpTo AND x.number < $turnNumber |
         [x.number, v.position, c.key, v.criterionId, v.status, v.source, v.form, v.substantiated, v.evidence]] AS ledger,
       [(w)-[:HAS_TURN]->(x:Turn)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
         WHERE w.turnCount <= $ledgerUpTo AND x.number < $turnNumber |
         [x.number, p.position, c.key, p.criterionId, p.status]] AS promised
