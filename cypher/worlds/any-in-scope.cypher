// Whether an analysis that is narrowed down so looks at anything.
// params: $projectKey $feature $task $world
// include analysis/_worlds
WITH w LIMIT 1
RETURN w.slug AS slug
