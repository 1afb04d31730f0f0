// The newest session of a task before one of its worlds, with the state of its criteria and the issues of its
// turns from the newest judged one on: every open issue was raised there. Sessions are ordered by the
// completion of their newest turn and not by their storage, so the order of imports does not matter. No row:
// there is no earlier session.
// params: $worldKey $taskKey
MATCH (own:World {key: $worldKey})
WITH own.slug AS ownSlug, own.turnCount = 0 AS isNew, own.lastActivityAt AS ownActivityAt
MATCH (:Task {key: $taskKey})-[:HAS_WORLD]->(w:World)
WHERE w.deletedAt IS NULL AND w.turnCount > 0 AND w.slug <> ownSlug
  AND (isNew OR w.lastActivityAt < ownActivityAt OR (w.lastActivityAt = ownActivityAt AND w.slug < ownSlug))
WITH w
ORDER BY w.lastActivityAt DESC, w.slug DESC
LIMIT 1
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn)
  WHERE x.number >= coalesce(w.judgedTurn, 0)
  RETURN collect([x.number, x.coachDecision, x.issueCount, [(x)-[:RAISED]->(i:Issue) | properties(i)]]) AS judgements
}
RETURN judgements,
// include criteria/_snapshot
