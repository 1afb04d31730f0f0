// What was added up of a tool.
// params: $project $tool
MATCH (u:ToolUse {project: $project})
WHERE u.tool = $tool
RETURN u.key AS key, properties(u) AS held
