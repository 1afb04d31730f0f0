// A world and its progress: the decision of its newest turn, and the state of its criteria. The turn is found
// by its key in a subquery that also answers if there is no turn yet: on the embedded engine, a page of 50
// worlds takes 2.9 ms this way, and 47 ms with an OPTIONAL MATCH by the same key. The newer sessions of the
// task and the runs that ended after the last activity show how the session ended.
WITH w, w.key + '/' + toString(w.currentTurn) AS newestKey
CALL (newestKey) {
  MATCH (t:Turn {key: newestKey})
  RETURN collect([t.coachDecision, t.digest]) AS newestTurn
}
RETURN newestTurn, w.lastActivityAt AS lastActivity,
       [(w)<-[:HAS_WORLD]-(:Task)-[:HAS_WORLD]->(x:World)
        WHERE x.deletedAt IS NULL AND x.ordinal > w.ordinal AND x.lastActivityAt >= w.lastActivityAt
        | [x.ordinal, x.slug, x.currentTurn, x.judgedTurn, x.turnsSinceApproval]] AS newer,
       [(w)-[:HAS_RUN]->(r:TurnRun) WHERE r.endedAt >= w.lastActivityAt
        | [r.enqueuedAt, r.status, r.stopReason, r.attemptCount, r.maxAttempts]] AS endedRuns,
// include worlds/_world
AS shown,
// include criteria/_snapshot
