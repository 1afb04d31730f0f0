// Locks a world for one piece of its deletion. No row: another forget has deleted it, and its slug may belong
// to another world since then, with nodes of the same keys. Locks: World.
// params: $worldKey $creation $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE coalesce(w.creation, '') = $creation
RETURN w.key AS key
