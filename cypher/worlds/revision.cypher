// The token of a world's newest change: several reads are consistent if it is the same before and after them.
// params: $worldKey
MATCH (w:World {key: $worldKey})
RETURN w.rev AS rev
