// The worlds where a run or an attempt is active, with the lease that ends first. Asked every second, so it goes
// through an index; a condition beside the look-up would make Grafeo scan all worlds (14 ms at 100,000, not 0.15),
// so the caller looks at the instants itself.
// params: $leased $skew
MATCH (w:World {leased: $leased})
RETURN w.project AS project, w.slug AS worldSlug, w.leaseUntil AS leaseUntil, w.leaseTtlMs AS leaseTtlMs, w.leaseOwners AS leaseOwners,
       timestamp() + $skew AS now
