// Deletes desires of a project that no longer hold.
// params: $project $keys
MATCH (d:Desire)
WHERE d.project = $project AND NOT d.key IN $keys
DETACH DELETE d
RETURN count(*) AS dropped
