// question: What blocked most?
// Counts blocking issues by category, and their turns and worlds.
// columns: category, issues, turns, worlds
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RAISED]->(i:Issue {severity: 'blocking'})
WITH coalesce(i.category, 'none') AS category, count(i) AS issues, count(DISTINCT t) AS turns, count(DISTINCT w) AS worlds
RETURN category, issues, turns, worlds
ORDER BY issues DESC, category LIMIT $limit
