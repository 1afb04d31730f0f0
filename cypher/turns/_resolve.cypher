// `earlier` is the newest turn below this one that has promises: the Player's last word on what a label means.
// Only an entry without a text asks for it ($withEarlier).
// params: $turnNumber $withEarlier
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE $withEarlier AND x.number < $turnNumber AND x.promiseCount > 0
  RETURN max(x.number) AS earlier
}
RETURN w.slug AS worldSlug,
       w.creation AS creation,
       w.currentTurn AS currentTurn,
       w.ledgerRev AS ledgerRev,
       w.progressSum AS progressSum,
       task.criteriaRev AS criteriaRev,
       task.worldCount AS worldCount,
       [(task)-[:HAS_CRITERION]->(c:Criterion) |
         [c.key, c.texts, c.textSources, c.labels, c.labelSources, c.mergedInto, c.worldKey]] AS criteria,
       [(w)-[r:PROGRESS]->(c:Criterion) | [c.key, r.kept]] AS progress,
       [(w)-[l:LABELS]->(c:Criterion) WHERE l.turn < $turnNumber | [l.source, l.label, l.turn, c.key]] AS labels,
       [(w)-[:HAS_TURN]->(x:Turn)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) WHERE $withEarlier AND x.number = earlier |
         [p.position, p.criterionId, c.key]] AS earlierPromises,
       [(w)-[:HAS_TURN]->(x:Turn)-[:RECORDED]->(v:Verification) WHERE $withEarlier AND x.number = earlier AND v.source <> 'player' |
         v.criterionId] AS earlierVerifications
