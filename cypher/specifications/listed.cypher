// The declared criteria of a task with their labels, by which a capture finds them.
// params: $key
MATCH (s:Specification {key: $key})
RETURN s.criteriaCount AS criteriaCount,
       [(s)-[l:LISTS]->(c:Criterion) | [l.label, c.key]] AS listed
