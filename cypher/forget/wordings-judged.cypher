// How the verifications that are left call criteria: each wording and label once.
// params: $keys
UNWIND $keys AS key
MATCH (c:Criterion {key: key})<-[:OF]-(x:Verification)
RETURN DISTINCT key AS key, x.criterionId AS label, x.criterionText AS text, x.source AS source
