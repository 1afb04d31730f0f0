// Prolongs the lock of migrations. No row: another owner has it now, or nobody: another owner took it, and
// may have done all the work.
// params: $owner $token $leaseMs
MATCH (l:SchemaMigrationLock {key: 'migrations'})
SET l.rev = $token
WITH l WHERE l.owner = $owner
SET l.leaseUntil = timestamp() + $leaseMs
RETURN l.owner AS owner
