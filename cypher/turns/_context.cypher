// The turn with its parts, the promises that hold for the coming turn, and where each criterion stands: one statement, one
// round trip, every look-up on an index. The promises are those of turn `promisedIn`, which is the prior turn itself, or
// an older one where the prior turn has none. Turn `judgedIn` is the prior turn itself, or the newest judged one where the
// prior turn ended in an error, which says nothing of the work.
WITH *, w.key + '/' + toString(promisedIn) AS promisedKey, w.key + '/' + toString(judgedIn) AS judgedKey
MATCH (q:Turn {key: promisedKey})
MATCH (j:Turn {key: judgedKey})
RETURN entries,
       properties(t) AS turn,
       [(t)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(t)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(t)-[:RECORDED]->(v:Verification) | properties(v)] AS verifications,
       j {.key, .number, .digest, .outcome, .issueCount, .coachDecision, .coachFeedback, .whatToTryNext} AS judged,
       [(j)-[:RAISED]->(i:Issue) WHERE judgedIn <> t.number | properties(i)] AS judgedIssues,
       q {.number, .digest, .promiseCount} AS promisedTurn,
       [(q)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion) | [properties(p), c.key, c.mergedInto]] AS promises,
// include criteria/_standing
