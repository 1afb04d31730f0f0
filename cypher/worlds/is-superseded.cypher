// True if the task of a world has a newer session.
// params: $key
MATCH (w:World {key: $key})
RETURN
// include worlds/_is-superseded
AS isSuperseded
