// The desires of a project after one, by key. A project has few.
// params: $project $after $limit
MATCH (d:Desire)
WHERE d.project = $project AND d.key > $after
RETURN properties(d) AS desire
ORDER BY d.key
LIMIT $limit
