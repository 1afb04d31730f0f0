// Specification versions of tasks, each with the criteria that it lists and those that only earlier versions
// listed.
// params: $keys
UNWIND $keys AS key
MATCH (s:Specification {key: key})
RETURN properties(s) AS specification,
       [(s)-[l:LISTS]->(c:Criterion) | [l.position, l.label, l.text, l.kind, l.rewordedIn, l.command, l.tests,
// include criteria/_criterion
       ]] AS listed,
       [(s)<-[:SPECIFIED_BY]-(:Task)-[:SPECIFIED_BY]->(x:Specification) | [x.version, x.declaredAt]] AS versions,
       [(s)-[r:RETIRES]->(c:Criterion) | [r.version,
// include criteria/_criterion
       ]] AS retired
