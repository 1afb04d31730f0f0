// Checks that a project has any data: turns, or only transcripts, whose keys begin with the key of the
// project.
// params: $projectKey $after $below
OPTIONAL MATCH (p:Project {key: $projectKey})
WITH count(p) AS projects
OPTIONAL MATCH (f:TranscriptFile)
WHERE f.key > $after AND f.key < $below
WITH projects, count(f) AS files
OPTIONAL MATCH (s:TranscriptSession)
WHERE s.key > $after AND s.key < $below
WITH projects, files, count(s) AS sessions
RETURN projects + files + sessions > 0 AS found
