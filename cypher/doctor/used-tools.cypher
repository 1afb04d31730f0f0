// The tools whose calls were added up.
// params: $project
MATCH (u:ToolUse {project: $project})
RETURN DISTINCT u.tool AS name
