// A page of the files of transcripts of a project, with the version of each.
// params: $project $after $limit
MATCH (f:TranscriptFile)
WHERE f.project = $project AND f.key > $after
WITH f ORDER BY f.key LIMIT $limit
RETURN f.key AS key, coalesce(f.changedAt, 0) AS version
ORDER BY key
