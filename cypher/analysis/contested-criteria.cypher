// question: Which criteria are contested most?
// Returns criteria that are verified in a world and were also rejected there, most rejections first.
// columns: feature, task, criterion, worlds, rejections
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.contestedCount > 0
MATCH (w)-[r:PROGRESS {state: 'verified'}]->(c:Criterion)
WHERE r.rejections > 0
WITH f, task, c, count(w) AS worlds, sum(r.rejections) AS rejections
WITH f.id AS feature, task.id AS task, c.key AS key, coalesce(c.texts[0], c.labels[0]) AS criterion, worlds, rejections
RETURN feature, task, criterion, worlds, rejections
ORDER BY rejections DESC, feature, task, criterion, key LIMIT $limit
