// The state of worlds whose parts are all restored: from now on, they can be read again.
// params: $batch
UNWIND $batch.rows AS x
MATCH (w:World {key: x.world})
SET w += x.properties, w += x.derived, w.lastCompletedAt = datetime(x.at.lastCompletedAt), w.deletedAt = datetime(x.at.deletedAt),
    w.lastActivityAt = coalesce(datetime(x.at.lastCompletedAt), w.createdAt), w.restoring = null
WITH w, x.progress AS progress
MATCH (task:Task {key: w.taskKey})
// include restore/_lacking-versions
WITH w, progress
// include criteria/_progress
WITH w
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(:Turn)-[:RECORDED]->(v:Verification) WHERE v.files IS NOT NULL
  RETURN count(v) AS proofsWithFiles
}
SET w.hasProofFiles = CASE WHEN proofsWithFiles > 0 THEN true ELSE null END
// include worlds/_changed
WITH w
CALL (w) {
  MATCH (w)-[:HAS_RUN]->(r:TurnRun)
  SET r.changedAt = w.changedAt, r.changedIn = w.changedIn // nobody could read them until now
  RETURN count(r) AS runs
}
RETURN count(w) AS written
