// question: Which promises were broken: said to be complete, then rejected with evidence?
// By the Coach of that very turn, or of a later one; the first such rejection of each.
// columns: feature, task, world, criterion, promised_in, rejected_in
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:PROMISED]->(p:Promise {status: 'complete'})-[:TO_MEET]->(c:Criterion)
MATCH (c)<-[:OF]-(v:Verification {status: 'rejected'})<-[:RECORDED]-(x:Turn)<-[:HAS_TURN]-(w)
WHERE v.substantiated AND x.number >= t.number
WITH f.id AS feature, task.id AS task, w.slug AS world, p.criterionId AS criterion, t.number AS promised_in, c.key AS key,
     min(x.number) AS rejected_in
RETURN feature, task, world, criterion, promised_in, rejected_in
ORDER BY feature, task, world, promised_in, criterion, key LIMIT $limit
