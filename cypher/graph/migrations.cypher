// The chain of applied migrations, oldest first, with the next ones of each. The instant of the first
// migration identifies this graph: bookmarks in answers name the graph by it.
// params:
MATCH (m:SchemaMigration)
RETURN m.version AS version, properties(m) AS properties, toString(m.appliedAt) AS appliedAt,
       [(m)-[:MIGRATED_TO]->(n:SchemaMigration) | n.version] AS next
ORDER BY version
