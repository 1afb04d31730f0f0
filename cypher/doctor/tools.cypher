// The tools of a project.
// params: $prefix
MATCH (k:Tool)
WHERE k.key STARTS WITH $prefix
RETURN k.key AS key, properties(k) AS held
