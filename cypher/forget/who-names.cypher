// Which worlds speak of the criteria of a task: a turn's key begins with its world's, a superseded one's, too.
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_CRITERION]->(c:Criterion)<-[:OF|TO_MEET|ABOUT]-(x)<-[:RECORDED|PROMISED|RAISED]-(t)
WITH DISTINCT c.key AS key, split(t.key, '/') AS parts
RETURN DISTINCT key AS key, parts[0] + '/' + parts[1] AS worldKey
