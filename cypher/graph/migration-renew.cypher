// Prolongs the lock of migrations; no row means that it is another owner's by now, or nobody's: another one took it, and may have
// done all the work.
// params: $owner $token $leaseMs
MATCH (l:SchemaMigrationLock {key: 'migrations'})
SET l.rev = $token
WITH l WHERE l.owner = $owner
SET l.leaseUntil = timestamp() + $leaseMs
RETURN l.owner AS owner
