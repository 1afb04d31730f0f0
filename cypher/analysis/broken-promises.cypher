// question: Which promises were broken: claimed as complete, then rejected with evidence?
// Returns the first rejection of each promise by anyone but the Player, in the same turn or in a later one.
// columns: feature, task, world, criterion, promised_in, rejected_in
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.brokenPromiseCount > 0
// Each world has at least one row, so $limit worlds are enough.
WITH f, task, w ORDER BY f.id, task.id, w.slug LIMIT $limit
// The turns that rejected each criterion with evidence. A merged criterion counts as the one that it was merged into.
MATCH (w)-[:HAS_TURN]->(x:Turn)-[:RECORDED]->(v:Verification {status: 'rejected'})-[:OF]->(c:Criterion)
WHERE v.substantiated AND v.source <> 'player'
WITH f, task, w, coalesce(c.mergedInto, c.key) AS key, collect(x.number) AS rejections
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:PROMISED]->(p:Promise {status: 'complete'})-[:TO_MEET]->(c:Criterion)
WHERE coalesce(c.mergedInto, c.key) = key AND any(n IN rejections WHERE n >= t.number)
WITH f.id AS feature, task.id AS task, w.slug AS world, p.criterionId AS criterion, t.number AS promised_in, key,
     // The first rejection in the turn of the promise or later.
     reduce(first = null, n IN rejections | CASE WHEN n >= t.number AND (first IS NULL OR n < first) THEN n ELSE first END)
       AS rejected_in
RETURN feature, task, world, criterion, promised_in, rejected_in
ORDER BY feature, task, world, promised_in, criterion, key LIMIT $limit
