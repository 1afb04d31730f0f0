// Records that were replaced, by key, each with the one above it.
// params: $keys
UNWIND $keys AS key
MATCH (t:SupersededTurn {key: key})
RETURN [(t)<-[:SUPERSEDES]-(x) | x.key] AS above,
// include export/_record
