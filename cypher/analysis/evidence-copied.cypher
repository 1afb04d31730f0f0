// question: Which evidence of a judge is the Player's own, said again?
// Verifications whose evidence is that of the newest promise it repeats, of the same turn or an earlier one, but for case,
// blanks and punctuation: `equal` to it, a `part` of it, or the `whole` of it among other words. Of texts of 20 characters or
// more; a shorter one says nothing of where it is from.
// columns: feature, task, world, turn, criterion, status, promised_in, copied, evidence
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.promisedTurn IS NOT NULL
WITH f, task, w, [' ', '.', ',', ';', ':', '!', '-', '—', '`', '*', '_', '#', '(', ')', '[', ']', '"', "'", '
', '	'] AS marks
CALL (w, marks) {
  MATCH (w)-[:HAS_TURN]->(x:Turn)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
  WHERE size(p.evidence) >= 20
  WITH coalesce(c.mergedInto, c.key) AS key, x.number AS number,
       reduce(text = toLower(p.evidence), mark IN marks | replace(text, mark, '')) AS claim
  WHERE size(claim) >= 20
  WITH key, collect([number, claim]) AS claimed
  RETURN collect([key, claimed]) AS claims
}
WITH f, task, w, marks, claims
WHERE size(claims) > 0
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
WHERE v.source <> 'player' AND size(v.evidence) >= 20
WITH f, task, w, t, v, claims, coalesce(c.mergedInto, c.key) AS key,
     reduce(text = toLower(v.evidence), mark IN marks | replace(text, mark, '')) AS said
WHERE size(said) >= 20
WITH f, task, w, key, t, v, said, [x IN claims WHERE x[0] = key] AS own
WITH f, task, w, key, t, v, said,
     [x IN coalesce(own[0][1], []) WHERE x[0] <= t.number AND (x[1] CONTAINS said OR said CONTAINS x[1])] AS repeated
WHERE size(repeated) > 0
WITH f, task, w, key, t, v, said,
     reduce(newest = repeated[0], x IN repeated | CASE WHEN x[0] > newest[0] THEN x ELSE newest END) AS promise
RETURN f.id AS feature, task.id AS task, w.slug AS world, t.number AS turn, v.criterionId AS criterion, v.status AS status,
       promise[0] AS promised_in,
       CASE WHEN promise[1] = said THEN 'equal' WHEN promise[1] CONTAINS said THEN 'part' ELSE 'whole' END AS copied,
       v.evidence AS evidence
ORDER BY feature, task, world, turn, criterion, key, v.position LIMIT $limit
