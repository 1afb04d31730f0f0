// Adds to the number of turns and calls of patterns. The sum is computed under the lock.
// Locks: TurnPattern (by `rev`, in the order of the keys).
// params: $batch $token
UNWIND $batch.rows AS x
MATCH (p:TurnPattern {key: x.key})
SET p.rev = $token
WITH p, x
SET p.turns = p.turns + x.turns, p.calls = p.calls + x.calls
RETURN count(p) AS patterns
