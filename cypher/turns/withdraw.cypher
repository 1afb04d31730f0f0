// Withdraws the turns of a world above a number: they become superseded records below the world. Statements of one
// transaction; criteria/rewrite-state ends it.
// when begin
// Locks: World. No row: a run or an attempt is active, or the ledger is newer than what the caller read.
// params: $worldKey $ledgerRev $token
MATCH (w:World {key: $worldKey})<-[:HAS_WORLD]-(task:Task)
SET w.rev = $token
WITH w, task
WHERE w.deletedAt IS NULL AND w.activeRunId IS NULL AND w.activeAttemptId IS NULL
  AND task.restoring IS NULL // a world that changes would make the rest of the restore fail
  AND w.ledgerRev = $ledgerRev
RETURN w.key AS key
// when move
// A record changes its label and key as in turns/supersede, and keeps its parts.
// params: $worldKey $toTurn $at $withdrawn
MATCH (w:World {key: $worldKey})
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn) WHERE t.number > $toTurn
  MATCH (t)<-[r:NEXT]-(:Turn)
  DELETE r
}
CALL (w) {
  MATCH (w)-[r:HAS_TURN]->(t:Turn) WHERE t.number > $toTurn
  DELETE r
  REMOVE t:Turn
  SET t:SupersededTurn, t.key = t.key + '~' + toString(t.revision)
  SET t.withdrawnAt = datetime($at), t += $withdrawn
  CREATE (w)-[:SUPERSEDES]->(t)
}
RETURN w.key AS key
// when recount
// Recomputes the counters and times of the world. Versions of the specification from withdrawn turns then belong to the newest turn.
// params: $worldKey
MATCH (w:World {key: $worldKey})
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn)
  RETURN count(x) AS turnCount, coalesce(max(x.number), 0) AS newest, max(x.completedAt) AS latest
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(:Turn)-[:RECORDED]->(v:Verification) WHERE v.files IS NOT NULL
  RETURN count(v) AS proofsWithFiles
}
SET w.currentTurn = newest, w.turnCount = turnCount, w.lastCompletedAt = latest,
    w.lastActivityAt = coalesce(latest, w.createdAt),
    w.hasProofFiles = CASE WHEN proofsWithFiles > 0 THEN true ELSE null END,
    w.specifiedAfter = CASE WHEN w.specifiedAfter IS NULL THEN null
      ELSE [turn IN w.specifiedAfter | CASE WHEN turn > newest THEN newest ELSE turn END] END,
    w.rollbacks = coalesce(w.rollbacks, 0) + 1
RETURN w.key AS key
// end
