// The files of a project's transcripts after one, by key, as `export/sessions` has it.
// params: $after $below $limit
MATCH (f:TranscriptFile)
WHERE f.key > $after AND f.key < $below
RETURN f.key AS key
ORDER BY key
LIMIT $limit
