// The names of criteria in the remaining verifications or promises, or in all versions of the specification:
// each text and label once.
// params: $keys
UNWIND $keys AS key
// when verifications
MATCH (c:Criterion {key: key})<-[:OF]-(x:Verification)
RETURN DISTINCT key AS key, x.criterionId AS label, x.criterionText AS text, x.source AS source
// when promises
MATCH (c:Criterion {key: key})<-[:TO_MEET]-(x:Promise)
RETURN DISTINCT key AS key, x.criterionId AS label, x.criterionText AS text, 'player' AS source
// when specifications
MATCH (c:Criterion {key: key})<-[x:LISTS]-(:Specification)
RETURN DISTINCT key AS key, x.label AS label, x.text AS text, 'specification' AS source
// end
