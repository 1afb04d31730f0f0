// The last of a world. Locks: World.
// params: $worldKey $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE w.forgottenAt IS NOT NULL
DETACH DELETE w
RETURN count(*) AS gone
