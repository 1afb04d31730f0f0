// Deletes a world that owns no nodes anymore. If another world has taken its slug since then, that world is
// not being forgotten and stays. Locks: World.
// params: $worldKey $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE w.forgottenAt IS NOT NULL
DETACH DELETE w
RETURN count(*) AS gone
