// params: $keys
UNWIND $keys AS key
MATCH (task:Task {key: key})<-[:HAS_TASK]-(f:Feature)
RETURN properties(task) AS task, f.key AS feature
