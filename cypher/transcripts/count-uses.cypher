// Writes the number of calls of a tool in the turns of one length and period. Deletes a sum without turns.
// Locks: ToolUse (by `rev`, in the order of the keys).
// params: $batch $token
UNWIND $batch.rows AS x
MERGE (u:ToolUse {key: x.key})
ON CREATE SET u.project = x.project, u.tool = x.tool, u.period = x.period, u.length = x.length, u.turns = 0, u.calls = 0
SET u.rev = $token
WITH u, x
// when add
// An import adds its own numbers: the sum is computed under the lock.
SET u.turns = u.turns + x.turns, u.calls = u.calls + x.calls
// when set
// A repair sets the sums of the stored turns.
SET u.turns = x.turns, u.calls = x.calls
// end
WITH u
WHERE u.turns = 0
DELETE u
RETURN count(*) AS gone
