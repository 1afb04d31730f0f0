// The chain of applied migrations, oldest first, and what each leads to. The instant of the first tells this graph from every
// other one: bookmarks of answers name the graph by it.
// params:
MATCH (m:SchemaMigration)
RETURN m.version AS version, properties(m) AS properties, toString(m.appliedAt) AS appliedAt,
       [(m)-[:MIGRATED_TO]->(n:SchemaMigration) | n.version] AS next
ORDER BY version
