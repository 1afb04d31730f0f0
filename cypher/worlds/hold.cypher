// Takes a world's lock for reading: what is asked after it in the same transaction is of one moment, because a
// commit's parts become visible one by one, but all of them before it gives the lock away.
// params: $worldKey $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
RETURN w.key AS key
