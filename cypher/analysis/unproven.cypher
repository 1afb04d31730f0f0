// question: Which declared criteria are not verified, and which were never judged?
// Covers the newest specification of each task, in each of its sessions; `world` is null for a task without a
// session. `judged` is false if no judge has ever named the criterion there. A criterion of kind `manual` is
// for a person.
// columns: feature, task, world, criterion, text, kind, state, judged
// params: $projectKey $feature $task $world $limit
MATCH (:Project {key: $projectKey})-[:HAS_FEATURE]->(f:Feature)-[:HAS_TASK]->(task:Task)
WHERE task.specificationVersion IS NOT NULL AND ($feature = '' OR f.id = $feature) AND ($task = '' OR task.id = $task)
CALL (task) {
  MATCH (task)-[:HAS_WORLD]->(w:World)
  WHERE w.deletedAt IS NULL AND ($world = '' OR w.slug = $world)
  RETURN collect([w.key, w.slug]) AS worlds
}
UNWIND CASE WHEN size(worlds) = 0 AND $world = '' THEN [['', null]] ELSE worlds END AS world
WITH f, task, world[0] AS worldKey, world[1] AS slug
CALL (worldKey) {
  MATCH (w:World {key: worldKey})-[r:PROGRESS]->(c:Criterion)
  RETURN collect([c.key, r.state, r.judged]) AS progress
}
MATCH (task)-[:SPECIFIED_BY]->(s:Specification)-[l:LISTS]->(c:Criterion)
WHERE s.version = task.specificationVersion
WITH f, task, slug, l, [x IN progress WHERE x[0] = c.key] AS named
WITH f, task, slug, l, coalesce(named[0][1], 'pending') AS state, coalesce(named[0][2], false) AS judged
WHERE state <> 'verified'
RETURN f.id AS feature, task.id AS task, slug AS world, l.label AS criterion, l.text AS text, l.kind AS kind, state, judged
ORDER BY feature, task, world, l.position LIMIT $limit
