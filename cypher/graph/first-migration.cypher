// When the graph got its schema, which tells it from every other one: bookmarks of answers name the graph by it.
// params:
MATCH (m:SchemaMigration)
RETURN toString(m.appliedAt) AS appliedAt
ORDER BY m.version
LIMIT 1
