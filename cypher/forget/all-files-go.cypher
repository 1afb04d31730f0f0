// What is left of a project when its last conversation is gone: files that held none.
// params: $project $limit
MATCH (x:TranscriptFile)
WHERE x.project = $project
WITH x
LIMIT $limit
DETACH DELETE x
RETURN count(*) AS gone
