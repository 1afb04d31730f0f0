// question: Which criteria were judged or promised, and never verified in any session?
// Covers criteria that turns named. For declared criteria that were never judged, see `unproven`.
// columns: feature, task, criterion, worlds, rejected_in
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[r:PROGRESS]->(c:Criterion)
WITH f, task, c, count(w) AS worlds,
     sum(CASE WHEN r.state = 'verified' THEN 1 ELSE 0 END) AS verified,
     sum(CASE WHEN r.state = 'rejected' THEN 1 ELSE 0 END) AS rejected
WHERE verified = 0 AND c.mergedInto IS NULL
WITH f.id AS feature, task.id AS task, c.key AS key, coalesce(c.texts[0], c.labels[0]) AS criterion, worlds, rejected
RETURN feature, task, criterion, worlds, rejected AS rejected_in
ORDER BY worlds DESC, feature, task, criterion, key LIMIT $limit
