// question: Which evidence of a judge only repeats the Player's own evidence?
// Compares the evidence of each verification with the newest promise that it repeats, of the same turn or an
// earlier one, without case, blanks and punctuation: it is `equal` to the promise, a `part` of it, or
// contains the `whole` promise. Ignores texts of less than 20 characters because their origin cannot be
// known.
// columns: feature, task, world, turn, criterion, status, promised_in, copied, evidence
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.promisedTurn IS NOT NULL
// Removes the marks from all texts about a criterion in one step, as lines of one text: that takes two thirds
// of the time of single steps on the embedded graph.
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
  WHERE size(p.evidence) >= 20
  WITH coalesce(c.mergedInto, c.key) AS key, t.number AS number, p.evidence AS evidence ORDER BY number, p.position
  WITH key, collect([number, evidence]) AS claimed
  WITH key, claimed, reduce(all = '', x IN claimed | all + replace(x[1], '\n', '') + '\n') AS given
// include analysis/_without-marks
  RETURN collect([key, claimed, bare]) AS claims
}
WITH f, task, w, claims
WHERE size(claims) > 0
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
  WHERE v.source <> 'player' AND size(v.evidence) >= 20
  WITH coalesce(c.mergedInto, c.key) AS key, collect([t.number, v.criterionId, v.status, v.evidence, v.position]) AS said
  WITH key, said, reduce(all = '', x IN said | all + replace(x[3], '\n', '') + '\n') AS given
// include analysis/_without-marks
  RETURN collect([key, said, bare]) AS judged
}
UNWIND judged AS x
WITH f, task, w, x[0] AS key, x[1] AS said, x[2] AS saidBare, [claim IN claims WHERE claim[0] = x[0]] AS own
WHERE size(own) > 0
WITH f, task, w, key, said, saidBare, split(saidBare, '\n') AS saidTexts, own[0][1] AS claimed, own[0][2] AS claimedBare,
     split(own[0][2], '\n') AS claimedTexts
// Searches each text in all others together. Most criteria have no match; only for the others, pairs are
// compared.
WITH f, task, w, key, said, saidTexts, claimedBare, saidBare,
     [i IN range(0, size(claimed) - 1) WHERE size(claimedTexts[i]) >= 20 | [claimed[i][0], claimedTexts[i]]] AS promises
WHERE any(x IN promises WHERE saidBare CONTAINS x[1]) OR any(text IN saidTexts WHERE size(text) >= 20 AND claimedBare CONTAINS text)
UNWIND range(0, size(said) - 1) AS i
WITH f, task, w, key, said[i] AS v, saidTexts[i] AS bare, promises
WHERE size(bare) >= 20
WITH f, task, w, key, v, bare, [x IN promises WHERE x[0] <= v[0] AND (x[1] CONTAINS bare OR bare CONTAINS x[1])] AS repeated
WHERE size(repeated) > 0
WITH f, task, w, key, v, bare, last(repeated) AS promise
RETURN f.id AS feature, task.id AS task, w.slug AS world, v[0] AS turn, v[1] AS criterion, v[2] AS status,
       promise[0] AS promised_in,
       CASE WHEN promise[1] = bare THEN 'equal' WHEN promise[1] CONTAINS bare THEN 'part' ELSE 'whole' END AS copied,
       v[3] AS evidence
ORDER BY feature, task, world, turn, criterion, key, v[4] LIMIT $limit
