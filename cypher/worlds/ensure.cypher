// Creates a world, and its project, feature and task if they are missing. Always returns the stored world.
//
// Locks: World, then, if it is new, the Task, so that the worlds of a task get distinct ordinals. This is the
// order of a capture, which continues from here.
// params: $project $featureId $taskKey $taskId $worldKey $worldSlug $settings $token
// include projects/_task
MERGE (w:World {key: $worldKey})
ON CREATE SET w.slug = $worldSlug, w.project = $project, w.featureId = $featureId, w.taskId = $taskId,
  w.taskKey = $taskKey, w.currentTurn = 0, w.turnCount = 0, w.ledgerRev = 0,
  w.contestedCount = 0, w.flippedCount = 0, w.brokenPromiseCount = 0, w.executor = $settings.executor, w.leaseTtlMs = $settings.leaseTtlMs,
  w.requestId = $settings.requestId, w.creation = $token
SET w.rev = $token
// A new world is the newest of its task, even if the clock stepped back since another one was written
// (docs/decisions/newest-world.md).
WITH *, CASE WHEN w.creation = $token AND w.ordinal IS NULL
  THEN [(task)-[:HAS_WORLD]->(x:World) WHERE x.deletedAt IS NULL | x.lastActivityAt] ELSE [] END AS floors
WITH *, reduce(at = datetime($settings.createdAt), floor IN floors | CASE WHEN floor > at THEN floor ELSE at END) AS createdAt
FOREACH (_ IN CASE WHEN w.creation = $token AND w.ordinal IS NULL THEN [1] ELSE [] END |
  SET task.rev = $token
  SET w += $settings.runs
  SET task.worldCount = task.worldCount + 1, w.ordinal = task.worldCount, w.createdAt = createdAt, w.lastActivityAt = createdAt,
    w.specifiedAfter = CASE WHEN task.specificationVersion IS NULL THEN null ELSE [x IN range(1, task.specificationVersion) | 0] END,
    w.changedAt = timestamp(), w.changedIn = timestamp() / 60000
  MERGE (w)<-[:HAS_WORLD]-(task))
RETURN
// include worlds/_world
AS world, w.creation = $token AS created
