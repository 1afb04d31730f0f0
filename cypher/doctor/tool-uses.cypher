// The stored sums of a tool; `locked` also locks these nodes.
// params: $project $tool
MATCH (u:ToolUse {project: $project})
WHERE u.tool = $tool
// when read
RETURN u.key AS key, u.turns AS turns, u.calls AS calls
// when locked
// params: $token
SET u.rev = $token
RETURN u.key AS key
// end
