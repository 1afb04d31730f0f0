// Checks that the filters of an analysis match any world.
// params: $projectKey $feature $task $world
// include analysis/_worlds
WITH w LIMIT 1
RETURN w.slug AS slug
