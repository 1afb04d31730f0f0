// params: $keys
UNWIND $keys AS key
MATCH (c:Criterion {key: key})<-[:HAS_CRITERION]-(task:Task)
RETURN properties(c) AS criterion, task.key AS task
