// It got a task while its lock was waited for: the lock leaves nothing behind.
// params: $featureKey
MATCH (f:Feature {key: $featureKey})
SET f.rev = null
RETURN f.key AS key
