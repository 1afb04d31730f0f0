// question: Which criteria were verified in one turn and rejected in the next, and what was edited in between?
// The files that the Player says it changed, and its calls of tools that write.
// columns: feature, task, world, turn, criterion, evidence, files_modified, edits
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_TURN]->(before:Turn)-[:NEXT]->(after:Turn)
MATCH (before)-[:RECORDED]->(was:Verification {status: 'verified'})-[:OF]->(c:Criterion)
MATCH (after)-[:RECORDED]->(now:Verification {status: 'rejected'})-[:OF]->(c)
WITH DISTINCT f, task, w, after, c, now.criterionId AS criterion, now.evidence AS evidence
RETURN f.id AS feature, task.id AS task, w.slug AS world, after.number AS turn, criterion, evidence,
       after.filesModified AS files_modified,
       [(after)-[:TRANSCRIBED_IN]->(:TranscriptSession)-[:HAS_TURN]->(:TranscriptTurn)-[r:CALLED]->(k:Tool)
         WHERE k.name IN ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'] | [k.name, r.calls]] AS edits
ORDER BY feature, task, world, turn, criterion LIMIT $limit
