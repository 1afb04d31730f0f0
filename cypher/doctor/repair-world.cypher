// Sets what a world counts to what hangs on it.
// params: $key $properties $at
MATCH (w:World {key: $key})
SET w += $properties
FOREACH (at IN $at | SET w.lastCompletedAt = datetime(at))
RETURN w.key AS key
