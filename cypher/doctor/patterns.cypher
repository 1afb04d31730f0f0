// A page of the patterns of a project.
// params: $project $after $limit
MATCH (p:TurnPattern {project: $project})
WHERE p.key > $after
WITH p
ORDER BY p.key
LIMIT $limit
RETURN p.key AS key, properties(p) AS held, [(p)-[:STARTS_WITH]->(k:Tool) | k.name] AS tools
ORDER BY key
