// Locks what was added up of a tool.
// params: $project $tool $token
MATCH (u:ToolUse {project: $project})
WHERE u.tool = $tool
SET u.rev = $token
RETURN u.key AS key
