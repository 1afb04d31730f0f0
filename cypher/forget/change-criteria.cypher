// Removes texts and labels that only deleted turns used.
// params: $batch
UNWIND $batch.criteria AS x
MATCH (c:Criterion {key: x.key})
SET c += x.properties
RETURN count(c) AS changed
