// The chain of applied migrations, oldest first.
// params:
MATCH (m:SchemaMigration)
RETURN m.version AS version, m.description AS description, m.checksum AS checksum
ORDER BY m.version
