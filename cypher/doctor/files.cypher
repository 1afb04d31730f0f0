// A page of the files of a project.
// params: $prefix $after $limit
MATCH (f:TranscriptFile)
WHERE f.key STARTS WITH $prefix AND f.key > $after
RETURN f.key AS key, properties(f) AS held
ORDER BY key
LIMIT $limit
