// Adds one link to the chain of applied migrations. Repeated, it changes nothing.
// params: $version $previous $description $checksum $appliedAt
MERGE (m:SchemaMigration {version: $version})
ON CREATE SET m.description = $description, m.checksum = $checksum, m.appliedAt = datetime($appliedAt)
FOREACH (version IN CASE WHEN $previous IS NULL THEN [] ELSE [$previous] END |
  MERGE (p:SchemaMigration {version: version})
  MERGE (p)-[:MIGRATED_TO]->(m))
RETURN m.version AS version
