// What is left of a project when its last transcript is gone.
// params: $project $limit
MATCH (x:Tool)
WHERE x.project = $project
WITH x
LIMIT $limit
DETACH DELETE x
RETURN count(*) AS gone
