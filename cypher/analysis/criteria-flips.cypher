// question: Which criteria were verified and rejected at the next judgment, and what was edited in between?
// Returns the files that the Player reported as changed and its calls of writing tools, in the turn of the
// rejection.
// columns: feature, task, world, turn, criterion, evidence, files_modified, edits
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.flippedCount > 0
// Each world has at least one row, so $limit worlds are enough.
WITH f, task, w ORDER BY f.id, task.id, w.slug LIMIT $limit
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
WHERE v.source <> 'player'
WITH f, task, w, coalesce(c.mergedInto, c.key) AS key, t.number AS number, v ORDER BY number, v.position
WITH f, task, w, key, number, collect([number, v.status, v.criterionId, v.evidence, v.form, v.position, v.addedAt]) AS entries
// A full entry of the record takes precedence over the status map for the same criterion.
WITH f, task, w, key, entries, any(x IN entries WHERE x[4] = 'entry' AND x[6] IS NULL) AS isFull
UNWIND [x IN entries WHERE x[1] <> 'unknown' AND (x[4] = 'entry' OR NOT isFull)] AS x
WITH f, task, w, key, x ORDER BY x[0], x[5]
WITH f, task, w, collect(x) AS said, key
UNWIND range(1, size(said) - 1) AS i
WITH f, task, w, key, said[i - 1] AS was, said[i] AS now
WHERE was[1] = 'verified' AND now[1] = 'rejected'
MATCH (w)-[:HAS_TURN]->(after:Turn)
WHERE after.number = now[0]
// A turn without a start begins when the turn before it ended.
WITH f, task, w, key, was, now, after,
     coalesce(after.startedAt, [(after)<-[:NEXT]-(previous:Turn) | previous.completedAt][0]) AS begun
RETURN f.id AS feature, task.id AS task, w.slug AS world, after.number AS turn, now[2] AS criterion, now[3] AS evidence,
       after.filesModified AS files_modified,
       [(after)-[:TRANSCRIBED_IN]->(:TranscriptSession)-[:HAS_TURN]->(x:TranscriptTurn)-[r:CALLED]->(k:Tool)
         WHERE k.name IN ['Edit', 'MultiEdit', 'Write', 'NotebookEdit']
           AND (begun IS NULL OR x.startedAt IS NULL OR x.startedAt >= begun)
           AND (after.completedAt IS NULL OR x.startedAt IS NULL OR x.startedAt <= after.completedAt)
         | [k.name, r.calls]] AS edits
ORDER BY feature, task, world, turn, criterion, key, now[5] LIMIT $limit
