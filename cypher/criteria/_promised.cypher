// The promises of the newest turn that has any, with where the criteria stand. No row: there are none. The turn is found by
// key, so the cost does not grow with the world.
WITH w, w.key + '/' + toString(w.promisedTurn) AS key
MATCH (t:Turn {key: key})
RETURN
// include criteria/_promises
