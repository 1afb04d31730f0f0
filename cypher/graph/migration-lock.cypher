// Takes the lock of migrations, or none: no row means that somebody else migrates right now.
// A lock that was left behind ends by itself.
// params: $owner $token $leaseMs
MERGE (l:SchemaMigrationLock {key: 'migrations'})
SET l.rev = $token
WITH l WHERE l.owner IS NULL OR l.owner = $owner OR l.leaseUntil < timestamp()
SET l.owner = $owner, l.leaseUntil = timestamp() + $leaseMs
RETURN l.owner AS owner
