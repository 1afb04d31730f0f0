// params: $owner $token
MATCH (l:SchemaMigrationLock {key: 'migrations'})
SET l.rev = $token
WITH l WHERE l.owner = $owner
SET l.owner = null, l.leaseUntil = null
RETURN l.key AS key
