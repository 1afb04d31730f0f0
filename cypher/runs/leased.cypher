// The worlds with an active run or attempt, with the lease that ends first. This runs every second, so it
// uses an index. A further condition in the MATCH would make Grafeo scan all worlds (14 ms at 100,000, not
// 0.15), so the caller compares the instants itself.
// params: $leased $skew
MATCH (w:World {leased: $leased})
RETURN w.project AS project, w.slug AS worldSlug, w.leaseUntil AS leaseUntil, w.leaseTtlMs AS leaseTtlMs, w.leaseOwners AS leaseOwners,
       timestamp() + $skew AS now
