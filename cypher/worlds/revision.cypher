// The token of a world's newest mutation: reads of several statements are of one moment where it did not move meanwhile.
// params: $worldKey
MATCH (w:World {key: $worldKey})
RETURN w.rev AS rev
