// Before it is derived anew: a criterion that the ledger no longer names must not keep its edge.
// params: $ledger
CALL (w) { MATCH (w)-[r:PROGRESS]->(:Criterion) WHERE $ledger.derivedAnew DELETE r }
