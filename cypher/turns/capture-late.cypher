// Stores a turn at any free number of its world: one that came late, or one that merges two criteria, so that
// the state of the criteria is derived again.
//
// The neighbors are searched among the turns of the world, so the cost grows with the world; only such turns
// pay it. Locks as in `turns/capture`. No row: a check failed.
// params: $worldKey $taskKey $turnKey $turnNumber $token $asOwner $rollbacks
MATCH (w:World {key: $worldKey})<-[:HAS_WORLD]-(task:Task {key: $taskKey})
SET w.rev = $token
WITH w, task
WHERE w.deletedAt IS NULL
  AND task.restoring IS NULL // a turn would make the rest of the restore fail
  AND coalesce(w.rollbacks, 0) = $rollbacks // the caller must know a withdrawn record of this number
  AND ($asOwner OR w.currentTurn > $turnNumber OR (w.activeRunId IS NULL AND w.activeAttemptId IS NULL))
OPTIONAL MATCH (present:Turn {key: $turnKey})
WITH w, task, present
WHERE present IS NULL
// include criteria/_extend
WITH w, task, completedAt
CALL (w) { MATCH (w)-[r:PROGRESS]->(:Criterion) DELETE r } // a criterion that the ledger no longer names keeps no edge
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber
  RETURN max(x.number) AS below
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number > $turnNumber
  RETURN min(x.number) AS above
}
CALL (w, below) {
  MATCH (w)-[:HAS_TURN]->(p:Turn {number: below})
  MATCH (p)-[r:NEXT]->(:Turn)
  DELETE r
}
CREATE (w)-[:HAS_TURN]->(t:Turn {key: $turnKey})
FOREACH (number IN CASE WHEN below IS NULL THEN [] ELSE [below] END |
  MERGE (p:Turn {key: w.key + '/' + toString(number)})
  CREATE (p)-[:NEXT]->(t))
FOREACH (number IN CASE WHEN above IS NULL THEN [] ELSE [above] END |
  MERGE (n:Turn {key: w.key + '/' + toString(number)})
  CREATE (t)-[:NEXT]->(n))
// include turns/_parts
SET w.currentTurn = CASE WHEN w.currentTurn < $turnNumber THEN $turnNumber ELSE w.currentTurn END,
    w.turnCount = w.turnCount + 1,
// include turns/_last-activity
// include worlds/_changed
WITH t
// include turns/_transcribed
RETURN t.completedAt AS completedAt
