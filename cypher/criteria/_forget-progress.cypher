// Before it is derived anew: a criterion that the ledger no longer names must not keep its edge.
CALL (w) { MATCH (w)-[r:PROGRESS]->(:Criterion) DELETE r }
