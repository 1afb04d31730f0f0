// How the promises that are left call criteria: each wording and label once.
// params: $keys
UNWIND $keys AS key
MATCH (c:Criterion {key: key})<-[:TO_MEET]-(x:Promise)
RETURN DISTINCT key AS key, x.criterionId AS label, x.criterionText AS text, 'player' AS source
