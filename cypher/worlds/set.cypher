// Changes when the runs of a world stop, pause and resume: a null takes a value away.
// params: $worldKey $settings $token
MATCH (w:World {key: $worldKey})
SET w.rev = $token
WITH w
WHERE w.deletedAt IS NULL
SET w += $settings
// include worlds/_changed
RETURN
// include worlds/_world
AS world
