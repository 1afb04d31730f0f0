// The keys of a page of worlds of all projects: a migration changes a few worlds at a time.
// params: $after $limit
MATCH (w:World)
WHERE w.key > $after
RETURN w.key AS key
ORDER BY key
LIMIT $limit
