// Takes the lock of migrations on Neo4j. Returns no row if another process is migrating. The same owner can take the lock again,
// because a write is repeated if its answer was lost. A stale lock expires.
// params: $owner $token $leaseMs
MERGE (l:SchemaMigrationLock {key: 'migrations'})
SET l.rev = $token
WITH l WHERE l.owner IS NULL OR l.owner = $owner OR l.leaseUntil < timestamp()
SET l.owner = $owner, l.leaseUntil = timestamp() + $leaseMs
RETURN l.owner AS owner
