// Sets what was added up of a tool to what its turns say; what no turn adds to is gone.
// params: $batch $token
UNWIND $batch.rows AS x
MERGE (u:ToolUse {key: x.key})
ON CREATE SET u.project = x.project, u.tool = x.tool, u.period = x.period, u.length = x.length
SET u.turns = x.turns, u.calls = x.calls, u.rev = $token
WITH u
WHERE u.turns = 0
DELETE u
RETURN count(*) AS gone
