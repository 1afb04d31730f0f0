// Takes the lock of migrations, or none: no row means that somebody else migrates right now. By its owner it is taken again, as a
// write whose answer was lost is repeated.
// A lock that was left behind ends by itself. Where one process at a time has the graph, $process names it: the lock of
// another one is that of a dead process. It is null elsewhere.
// params: $owner $process $token $leaseMs
MERGE (l:SchemaMigrationLock {key: 'migrations'})
SET l.rev = $token
WITH l WHERE l.owner IS NULL OR l.owner = $owner OR l.leaseUntil < timestamp()
  OR ($process IS NOT NULL AND NOT l.owner STARTS WITH $process)
SET l.owner = $owner, l.leaseUntil = timestamp() + $leaseMs
RETURN l.owner AS owner
