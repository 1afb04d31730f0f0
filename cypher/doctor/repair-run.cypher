// Sets what a run counts to its attempts. An ended run without an instant of its end gets the one that its attempts say.
// params: $key $properties $ended $cancelled
MATCH (r:TurnRun {key: $key})
SET r += $properties
FOREACH (at IN $ended | SET r.endedAt = datetime(at))
FOREACH (at IN $cancelled | SET r.cancelRequestedAt = datetime(at))
RETURN r.key AS key
