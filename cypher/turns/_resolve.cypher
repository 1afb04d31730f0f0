// What a turn above all others of the world needs to know. The earlier promises are those of the newest turn that has any;
// only an entry without a text asks for them ($withEarlier). `turns/earlier-promises` finds them for a turn that came late.
// params: $turnNumber $withEarlier
WITH task, w, CASE WHEN $withEarlier THEN w.key + '/' + toString(w.promisedTurn) ELSE '' END AS earlierKey
// include turns/_earlier-promises
RETURN w.slug AS worldSlug,
       w.deletedAt IS NOT NULL AS deleted,
       w.currentTurn AS currentTurn,
       w.ledgerRev AS ledgerRev,
       w.progressSum AS progressSum,
       task.criteriaRev AS criteriaRev,
       task.worldCount AS worldCount,
       [(task)-[:HAS_CRITERION]->(c:Criterion) |
         [c.key, c.texts, c.textSources, c.labels, c.labelSources, c.mergedInto, c.worldKey]] AS criteria,
       [(w)-[r:PROGRESS]->(c:Criterion) | [c.key, r.kept]] AS progress,
       [(w)-[l:LABELS]->(c:Criterion) WHERE l.turn < $turnNumber | [l.source, l.label, l.turn, c.key]] AS labels,
       earlierPromises, earlierVerifications
