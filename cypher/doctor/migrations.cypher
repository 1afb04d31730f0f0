// The applied migrations, and what each leads to.
// params:
MATCH (m:SchemaMigration)
RETURN m.version AS version, properties(m) AS properties, [(m)-[:MIGRATED_TO]->(n:SchemaMigration) | n.version] AS next
ORDER BY version
