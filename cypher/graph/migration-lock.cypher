// Takes the lock of migrations. No row: another process is migrating. The same owner can take the lock again,
// because a write is repeated if its answer was lost. A stale lock expires. If only one process at a time can
// have the graph, $process names it, and the lock of another process is that of a dead process. Otherwise
// $process is null.
// params: $owner $process $token $leaseMs
MERGE (l:SchemaMigrationLock {key: 'migrations'})
SET l.rev = $token
WITH l WHERE l.owner IS NULL OR l.owner = $owner OR l.leaseUntil < timestamp()
  OR ($process IS NOT NULL AND NOT l.owner STARTS WITH $process)
SET l.owner = $owner, l.leaseUntil = timestamp() + $leaseMs
RETURN l.owner AS owner
