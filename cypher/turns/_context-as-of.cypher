// What the coming turn was told when it began: the newest turn below it, the ledger below it, and the newest turn up to
// and with it that has promises. It looks at all turns of the world; only a question about the past pays for that. No row:
// there is no turn below.
// include criteria/_ledger
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber
  RETURN max(x.number) AS below
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number <= $turnNumber AND x.promiseCount > 0
  RETURN max(x.number) AS promised
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn) WHERE x.number < $turnNumber AND x.outcome IS NOT NULL
  RETURN max(x.number) AS counted
}
WITH *, w.key + '/' + toString(below) AS priorKey, coalesce(promised, below) AS promisedIn
MATCH (t:Turn {key: priorKey})
WITH *, CASE WHEN t.coachDecision = 'error' THEN coalesce(counted, below) ELSE below END AS judgedIn
// include criteria/_no-entries
// include turns/_context
, turnsFound, turns, criteria,
       [(t)-[:PROMISED]->(p:Promise) | properties(p)] AS priorPromises
