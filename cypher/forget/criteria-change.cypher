// What the turns that went alone had called a criterion is its no more.
// params: $batch
UNWIND $batch.criteria AS x
MATCH (c:Criterion {key: x.key})
SET c += x.properties
RETURN count(c) AS changed
