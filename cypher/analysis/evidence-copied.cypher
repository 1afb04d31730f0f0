// question: Which evidence of a judge is the Player's own, said again?
// Verifications whose evidence is that of the newest promise it repeats, of the same turn or an earlier one, but for case,
// blanks and punctuation: `equal` to it, a `part` of it, or the `whole` of it among other words. Of texts of 20 characters or
// more; a shorter one says nothing of where it is from.
// columns: feature, task, world, turn, criterion, status, promised_in, copied, evidence
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.promisedTurn IS NOT NULL
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(x:Turn)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
  WHERE size(p.evidence) >= 20
  WITH coalesce(c.mergedInto, c.key) AS key, x.number AS number, p.evidence AS given
// include analysis/_without-marks
  WITH key, number, bare WHERE size(bare) >= 20
  WITH key, collect([number, bare]) AS claimed
  RETURN collect([key, claimed]) AS claims
}
WITH f, task, w, claims
WHERE size(claims) > 0
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
WHERE v.source <> 'player' AND size(v.evidence) >= 20
WITH f, task, w, t, v, claims, coalesce(c.mergedInto, c.key) AS key
WITH f, task, w, key, t, v, [x IN claims WHERE x[0] = key] AS own
WHERE size(own) > 0
WITH f, task, w, key, t, v, own[0][1] AS claimed, v.evidence AS given
// include analysis/_without-marks
WITH f, task, w, key, t, v, bare AS said,
     [x IN claimed WHERE x[0] <= t.number AND (x[1] CONTAINS bare OR bare CONTAINS x[1])] AS repeated
WHERE size(said) >= 20 AND size(repeated) > 0
WITH f, task, w, key, t, v, said,
     reduce(newest = repeated[0], x IN repeated | CASE WHEN x[0] > newest[0] THEN x ELSE newest END) AS promise
RETURN f.id AS feature, task.id AS task, w.slug AS world, t.number AS turn, v.criterionId AS criterion, v.status AS status,
       promise[0] AS promised_in,
       CASE WHEN promise[1] = said THEN 'equal' WHEN promise[1] CONTAINS said THEN 'part' ELSE 'whole' END AS copied,
       v.evidence AS evidence
ORDER BY feature, task, world, turn, criterion, key, v.position LIMIT $limit
