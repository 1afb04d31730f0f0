// question: Which criteria are contested most?
// Those that stand verified in a world, and were rejected there too; most rejections first.
// columns: feature, task, criterion, worlds, rejections
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:PROGRESS {state: 'verified'}]->(c:Criterion)
MATCH (c)<-[:OF]-(v:Verification {status: 'rejected'})<-[:RECORDED]-(:Turn)<-[:HAS_TURN]-(w)
WITH f.id AS feature, task.id AS task, c.key AS key, coalesce(c.texts[0], c.labels[0]) AS criterion, w,
     count(v) AS rejections
WITH feature, task, key, criterion, count(w) AS worlds, sum(rejections) AS rejections
RETURN feature, task, criterion, worlds, rejections
ORDER BY rejections DESC, feature, task, criterion, key LIMIT $limit
