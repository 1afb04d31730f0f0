// question: Which promises were broken: said to be complete, then rejected with evidence?
// By the Coach of that very turn, or of a later one; the first such rejection of each.
// columns: feature, task, world, criterion, promised_in, rejected_in
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.brokenPromiseCount > 0
// At least a row a world: so many worlds are enough.
WITH f, task, w ORDER BY f.id, task.id, w.slug LIMIT $limit
MATCH (w)-[:HAS_TURN]->(x:Turn)-[:RECORDED]->(v:Verification {status: 'rejected'})-[:OF]->(c:Criterion)
WHERE v.substantiated AND v.source <> 'player'
WITH f, task, w, coalesce(c.mergedInto, c.key) AS key, collect(x.number) AS rejections
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:PROMISED]->(p:Promise {status: 'complete'})-[:TO_MEET]->(c:Criterion)
WHERE coalesce(c.mergedInto, c.key) = key AND any(n IN rejections WHERE n >= t.number)
WITH f.id AS feature, task.id AS task, w.slug AS world, p.criterionId AS criterion, t.number AS promised_in, key,
     reduce(first = null, n IN rejections | CASE WHEN n >= t.number AND (first IS NULL OR n < first) THEN n ELSE first END)
       AS rejected_in
RETURN feature, task, world, criterion, promised_in, rejected_in
ORDER BY feature, task, world, promised_in, criterion, key LIMIT $limit
