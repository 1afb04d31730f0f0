// The continuation context of the next turn: one statement, one round trip, every look-up on an index.
//
// If the prior turn is the newest of the world, the forms `with-entries` and `without-entries` find it by a key
// that is built from the world's counter. If the world already has the requested turn or a later one, the row of
// these forms is not used, and a gap in the turn numbers may leave them without a row. The form `as-of` then finds
// the prior turn. This form reads all turns of the world, so only a question about the past has this cost. It
// returns no row if the world has no earlier turn. (A request with `as_of=turn` does not use this file, but
// src/memory/context/context-as-of.ts.)
// params: $turnNumber
// include worlds/_target
// when with-entries without-entries
WITH w, w.key + '/' + toString(CASE WHEN w.currentTurn < $turnNumber THEN w.currentTurn ELSE $turnNumber - 1 END) AS key
MATCH (t:Turn {key: key})
WITH w, t, coalesce(w.promisedTurn, t.number) AS promisedIn,
     CASE WHEN t.coachDecision IN ['error', 'deferred', 'unknown'] THEN coalesce(w.judgedTurn, t.number)
       ELSE t.number END AS judgedIn,
     coalesce(w.turnsSinceApproval >= 3, false) AS mayWarn // a verdict that warns needs three turns since the last approval
// when as-of
// include criteria/_ledger
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber
  RETURN max(x.number) AS below
}
// params: $promisedUpTo
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number <= $promisedUpTo AND x.promiseCount > 0
  RETURN max(x.number) AS promised
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber AND x.outcome IS NOT NULL
  RETURN max(x.number) AS counted
}
WITH *, w.key + '/' + toString(below) AS priorKey, coalesce(promised, below) AS promisedIn, true AS mayWarn
MATCH (t:Turn {key: priorKey})
WITH *, CASE WHEN t.coachDecision IN ['error', 'deferred', 'unknown'] THEN coalesce(counted, below) ELSE below END AS judgedIn
// end
// when with-entries
// The entries of each turn of a world about its criteria, with their count (an incomplete one is read again).
// Only for a world that has at most as many turns as the caller wants to read ($entriesUpTo) and no turn from
// the next one on.
// params: $entriesUpTo
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE w.turnCount <= $entriesUpTo AND w.currentTurn < $turnNumber
  RETURN collect([x.number, x.digest, x.verificationCount, [(x)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion) |
// include criteria/_entry
  ]]) AS entries
}
// when without-entries as-of
// Forms without entries have no subquery: the embedded engine plans it each time, even if it finds no rows.
WITH *, [] AS entries
// end
// Turn `promisedIn` has the promises: it is the prior turn itself, or an older one if the prior turn has no
// promises. Turn `judgedIn` is the prior turn itself, or the newest judged one if the prior turn ended in an
// error, was deferred, or has an unknown decision: such a turn judges no criterion, and open issues stay
// open.
WITH *, w.key + '/' + toString(promisedIn) AS promisedKey, w.key + '/' + toString(judgedIn) AS judgedKey
MATCH (q:Turn {key: promisedKey})
MATCH (j:Turn {key: judgedKey})
RETURN entries,
// when named-world
// The newest session of a task has no newer one.
       CASE WHEN mayWarn THEN
// include worlds/_is-superseded
       ELSE false END AS isSuperseded,
// when newest-world
// end
       properties(t) AS turn,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(t)-[:RECORDED]->(v:Verification) | properties(v)] AS verifications,
       j {.key, .number, .digest, .outcome, .issueCount, .coachDecision, .coachFeedback, .whatToTryNext} AS judged,
       [(j)-[:RAISED]->(i:Issue) WHERE judgedIn <> t.number | properties(i)] AS judgedIssues,
       q {.number, .digest, .promiseCount} AS promisedTurn,
       // The turns before the prior one, by their order: numbers may have gaps.
       [(t)<-[:NEXT*1..5]-(x:Turn) | [x.number, x.playerSummary]] AS triedBefore,
       [(w)-[:SUPERSEDES]->(x:SupersededTurn) | [x.number, x.withdrawnAt, x.withdrawnReason]] AS withdrawn,
       [(q)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [properties(p), c.key, c.mergedInto]] AS promises,
// when as-of
       [(t)-[:PROMISED]->(p:Promise) | properties(p)] AS priorPromises,
       turnsFound, turns, criteria,
// when with-entries without-entries
// end
// include criteria/_snapshot
