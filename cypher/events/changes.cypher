// What changed since an instant of the database's clock: each once, however often it did. It is looked up by the minute, so that
// it costs what changed and not what there is, on both engines.
// params: $since
WITH timestamp() AS now
CALL (now) {
  UNWIND range($since / 60000, now / 60000 + 1) AS minute
  MATCH (w:World {changedIn: minute})
  WHERE w.changedAt >= $since
  RETURN collect([w.key, w.changedAt]) AS worlds
}
CALL (now) {
  UNWIND range($since / 60000, now / 60000 + 1) AS minute
  MATCH (r:TurnRun {changedIn: minute})
  WHERE r.changedAt >= $since
  RETURN collect([r.key, r.changedAt]) AS runs
}
CALL (now) {
  UNWIND range($since / 60000, now / 60000 + 1) AS minute
  MATCH (f:TranscriptFile {changedIn: minute})
  WHERE f.changedAt >= $since
  RETURN collect([f.key, f.changedAt]) AS imports
}
RETURN now, worlds, runs, imports
