// The turns of all sessions of a task with all of their parts, and the records that were superseded. A
// context as of an earlier turn is folded from the records of that time.
// when current
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.forgottenAt IS NULL // its records disappear one by one
MATCH (w)-[:HAS_TURN]->(x:Turn)
// when withdrawn
// params: $taskKey
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.forgottenAt IS NULL
MATCH (w)-[:SUPERSEDES*1..]->(x:SupersededTurn)
// when replaced
// params: $keys
UNWIND $keys AS key
MATCH (t:Turn {key: key})-[:SUPERSEDES*1..]->(x:SupersededTurn)
MATCH (t)<-[:HAS_TURN]-(w:World)
// end
RETURN w.key AS worldKey, x.revision AS revision, x.withdrawnAt AS withdrawnAt, x.withdrawnReason AS withdrawnReason,
       properties(x) AS turn,
       [(x)-[:RAISED]->(i:Issue) | properties(i)] AS issues,
       [(x)-[:PASSED_THROUGH]->(g:Gate) | properties(g)] AS gates,
       [(x)-[:RECORDED]->(v:Verification) | properties(v)] AS verifications,
       [(x)-[:PROMISED]->(p:Promise) | properties(p)] AS promises
