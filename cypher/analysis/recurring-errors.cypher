// question: Which errors of tools recur across sessions?
// Includes the tasks in whose turns they occurred.
// columns: failure, count, sessions, tasks
// params: $project $projectKey $limit
MATCH (e:FailedCall {project: $project})
WITH e.failure AS failure, count(e) AS count, collect(DISTINCT e.sessionId) AS sessionIds
WITH failure, count, sessionIds, size(sessionIds) AS sessions
WHERE sessions > 1
WITH failure, count, sessionIds, sessions ORDER BY sessions DESC, count DESC, failure LIMIT $limit
UNWIND sessionIds AS id
WITH id, collect({failure: failure, count: count, sessions: sessions}) AS errors
WITH errors, $projectKey + '/' + replace(replace(id, '%', '%25'), '/', '%2F') AS key
MATCH (s:TranscriptSession {key: key})
OPTIONAL MATCH (s)<-[:TRANSCRIBED_IN]-(:Turn)<-[:HAS_TURN]-(w:World)
WITH s, errors, collect(DISTINCT w.taskId) AS ids
UNWIND errors AS e
UNWIND CASE WHEN size(ids) = 0 THEN [null] ELSE ids END AS task
WITH DISTINCT e.failure AS failure, e.count AS count, e.sessions AS sessions, task ORDER BY task
WITH failure, count, sessions, collect(task) AS tasks
RETURN failure, count, sessions, tasks
ORDER BY sessions DESC, count DESC, failure LIMIT $limit
