// Stores a turn after all others of its world, with all of its parts: the hot path of a capture.
//
// The capture is one statement, so one round trip. Locks: World (by `rev`), Task (only when the turn extends the
// task's criteria), then the new Turn; the same order as everywhere. The chain's end is found by key,
// so the cost does not grow with the world. No row: a check failed. The caller reads the criteria and
// `turns/existing` again.
// params: $worldKey $taskKey $turnKey $turnNumber $token $asOwner $rollbacks
MATCH (w:World {key: $worldKey})<-[:HAS_WORLD]-(task:Task {key: $taskKey})
SET w.rev = $token
WITH w, task
WHERE w.deletedAt IS NULL
  AND task.restoring IS NULL // a turn would make the rest of the restore fail
  AND coalesce(w.rollbacks, 0) = $rollbacks // the caller must know a withdrawn record of this number
  AND w.currentTurn < $turnNumber // other statements handle a repeat, or a turn that came late
  AND ($asOwner OR (w.activeRunId IS NULL AND w.activeAttemptId IS NULL)) // only the owner may commit the next turn
// include criteria/_extend
CREATE (w)-[:HAS_TURN]->(t:Turn {key: $turnKey})
FOREACH (previous IN CASE WHEN w.currentTurn = 0 THEN [] ELSE [w.key + '/' + toString(w.currentTurn)] END |
  MERGE (p:Turn {key: previous})
  CREATE (p)-[:NEXT]->(t))
// include turns/_parts
SET w.currentTurn = $turnNumber,
    w.turnCount = w.turnCount + 1,
// include turns/_last-activity
// include worlds/_changed
WITH t
// include turns/_transcribed
RETURN t.completedAt AS completedAt
