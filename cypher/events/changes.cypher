// A page of changes after a place in the order of all changes: by the instant of the database's clock, then by key.
// Each node appears once, even if it changed several times. The look-up uses the minute of the change, so on both
// engines the cost depends on the number of changes and not on the size of the graph. The place is compared after a
// WITH: with an OR in the MATCH, Neo4j also read the changes of all other projects.
// params: $since $afterKey $limit
// when of-all
// when of-project
// params: $project
// end
WITH timestamp() AS now
CALL (now) {
  UNWIND range($since / 60000, now / 60000 + 1) AS minute
  MATCH (w:World {changedIn: minute})
  WHERE w.changedAt >= $since
// when of-all
// when of-project
    AND w.project = $project
// end
  WITH w, w.changedAt > $since AS isLater
  WHERE isLater OR w.key > $afterKey
  WITH w ORDER BY w.changedAt, w.key LIMIT $limit
  RETURN collect([w.key, w.changedAt]) AS worlds
}
CALL (now) {
  UNWIND range($since / 60000, now / 60000 + 1) AS minute
  MATCH (r:TurnRun {changedIn: minute})
  WHERE r.changedAt >= $since
// when of-all
// when of-project
    AND r.project = $project
// end
  WITH r, r.changedAt > $since AS isLater
  WHERE isLater OR r.key > $afterKey
  WITH r ORDER BY r.changedAt, r.key LIMIT $limit
  RETURN collect([r.key, r.changedAt]) AS runs
}
CALL (now) {
  UNWIND range($since / 60000, now / 60000 + 1) AS minute
  MATCH (f:TranscriptFile {changedIn: minute})
  WHERE f.changedAt >= $since
// when of-all
// when of-project
    AND f.project = $project
// end
  WITH f, f.changedAt > $since AS isLater
  WHERE isLater OR f.key > $afterKey
  WITH f ORDER BY f.changedAt, f.key LIMIT $limit
  RETURN collect([f.key, f.changedAt]) AS imports
}
RETURN now, worlds, runs, imports
