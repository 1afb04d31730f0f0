// Which criteria a task declares, under which labels: what a capture needs to find them.
// params: $key
MATCH (s:Specification {key: $key})
RETURN s.criteriaCount AS criteriaCount,
       [(s)-[l:LISTS]->(c:Criterion) | [l.label, c.key]] AS listed
