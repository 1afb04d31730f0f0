// A world and how far it has come: what its newest turn decided, and where its criteria stand. The turn is found by its key,
// in a subquery that answers where there is none yet: on the embedded engine a page of 50 worlds takes 2.9 ms, and
// OPTIONAL MATCH by the same key 47.
WITH w, w.key + '/' + toString(w.currentTurn) AS newestKey
CALL (newestKey) {
  MATCH (t:Turn {key: newestKey})
  RETURN collect([t.coachDecision, t.digest]) AS newestTurn
}
RETURN newestTurn, w.lastActivityAt AS lastActivity,
// include worlds/_is-superseded
AS isSuperseded,
// include worlds/_world
AS shown,
// include criteria/_snapshot
