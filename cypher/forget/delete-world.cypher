// Deletes a world that nothing hangs on any more. Another one may have taken its slug meanwhile: that one is not being
// forgotten. Locks: World.
// params: $worldKey $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE w.forgottenAt IS NOT NULL
DETACH DELETE w
RETURN count(*) AS gone
