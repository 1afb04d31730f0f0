// question: Which errors of tools recur across sessions?
// With the tasks in whose turns they stood in the way.
// columns: tool, failure, count, sessions, tasks
// params: $project $limit
MATCH (e:FailedStep {project: $project})
WITH e.tool AS tool, e.failure AS failure, count(e) AS count, collect(DISTINCT e.sessionId) AS sessionIds
WITH tool, failure, count, sessionIds, size(sessionIds) AS sessions
WHERE sessions > 1
WITH tool, failure, count, sessionIds, sessions ORDER BY sessions DESC, count DESC, tool, failure LIMIT $limit
UNWIND sessionIds AS id
OPTIONAL MATCH (s:TranscriptSession {id: id})
WHERE s.project = $project
OPTIONAL MATCH (s)<-[:TRANSCRIBED_IN]-(:Turn)<-[:HAS_TURN]-(:World)<-[:HAS_WORLD]-(task:Task)
WITH tool, failure, count, sessions, collect(DISTINCT task.id) AS tasks
RETURN tool, failure, count, sessions, tasks
ORDER BY sessions DESC, count DESC, tool, failure LIMIT $limit
