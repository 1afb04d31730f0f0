// Takes a world's lock: what is derived of it in this transaction, and written, is of one moment.
// params: $worldKey $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
RETURN w.key AS key
