// Holds the lock of migrations on Neo4j until the transaction ends. Other processes that migrate wait here.
// params: $token
MERGE (l:SchemaMigrationLock {key: 'migrations'})
SET l.rev = $token
RETURN l.key AS key
