// Adds to how often a tool was called in the turns of one length and period. The sum is made under the lock; what no
// turn adds to any more is gone.
// Locks: ToolUse (by `rev`, in the order of the keys).
// params: $batch $token
UNWIND $batch.rows AS x
MERGE (u:ToolUse {key: x.key})
ON CREATE SET u.project = x.project, u.tool = x.tool, u.period = x.period, u.length = x.length, u.turns = 0, u.calls = 0
SET u.rev = $token
WITH u, x
SET u.turns = u.turns + x.turns, u.calls = u.calls + x.calls
WITH u
WHERE u.turns = 0
DELETE u
RETURN count(*) AS forgotten
