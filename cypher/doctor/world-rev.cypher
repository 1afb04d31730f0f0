// params: $worldKey
MATCH (w:World {key: $worldKey})
RETURN w.rev AS rev
