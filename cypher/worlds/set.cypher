// Changes the settings that stop, pause and resume the runs of a world. A null removes a value.
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
