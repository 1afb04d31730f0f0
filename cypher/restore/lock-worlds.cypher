// Takes the locks of worlds, in the order of the keys, and returns which are being restored.
// params: $keys $token
UNWIND $keys AS key
MATCH (w:World {key: key})
SET w.rev = $token
RETURN w.key AS key, w.taskKey AS taskKey, coalesce(w.restoring, false) AS restoring
