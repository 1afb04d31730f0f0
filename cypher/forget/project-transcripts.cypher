// How much there is of the transcripts of a project.
// params: $project
OPTIONAL MATCH (f:TranscriptFile) WHERE f.project = $project
WITH count(f) AS files
OPTIONAL MATCH (t:TranscriptTurn {project: $project})
WITH files, count(t) AS turns, coalesce(sum(t.length), 0) AS steps
OPTIONAL MATCH (k:Tool) WHERE k.project = $project
WITH files, turns, steps, count(k) AS tools
OPTIONAL MATCH (p:TurnPattern {project: $project})
WITH files, turns, steps, tools, count(p) AS patterns
OPTIONAL MATCH (u:ToolUse {project: $project})
WITH files, turns, steps, tools, patterns, count(u) AS uses
OPTIONAL MATCH (d:Desire) WHERE d.project = $project
RETURN files, turns, steps, tools, patterns, uses, count(d) AS desires
