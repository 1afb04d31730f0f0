MATCH (t)-[r:RECORDED|PROMISED|RAISED|PASSED_THROUGH]->(x)
RETURN key, type(r) AS type, labels(x) AS labels, properties(x) AS held,
       [(x)-[:OF|TO_MEET|ABOUT]->(c:Criterion) | c.key] AS criteria
