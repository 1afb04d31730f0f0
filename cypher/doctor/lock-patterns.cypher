// Locks patterns (by `rev`, in the order of the keys): an import that adds to their sums waits.
// params: $keys $token
UNWIND $keys AS key
MATCH (p:TurnPattern {key: key})
SET p.rev = $token
RETURN p.key AS key
