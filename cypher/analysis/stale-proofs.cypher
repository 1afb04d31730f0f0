// question: Which proofs are stale: a later turn changed their files, and nobody verified the criterion again?
// What `turngraph criteria` calls stale of the criteria that count. The files are those of the newest promise of the criterion
// and of the newest verification that names any; `touched_in` is the first turn after `verified_in` that changed some of them.
// `reworded_in` is the version of the specification that worded the criterion anew since.
// columns: feature, task, world, criterion, text, verified_in, touched_in, files, reworded_in
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.lastGainTurn IS NOT NULL
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)
  UNWIND t.filesModified AS given
  WITH DISTINCT t.number AS of, given
// include analysis/_project-path
  WITH DISTINCT of, path ORDER BY of, path
  RETURN collect([of, path]) AS touched
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
  WITH coalesce(c.mergedInto, c.key) AS of, p.implementationFiles + [coalesce(p.testFile, '')] AS files,
       t.number AS number, p.position AS position ORDER BY number, position
  WITH of, last(collect(files)) AS files
  UNWIND files AS given
// include analysis/_project-path
  RETURN collect([of, path]) AS promised
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
  WHERE size(v.files) > 0
  WITH coalesce(c.mergedInto, c.key) AS of, v.files AS files, t.number AS number, v.position AS position
  ORDER BY number, position
  WITH of, last(collect(files)) AS files
  UNWIND files AS given
// include analysis/_project-path
  RETURN collect([of, path]) AS examined
}
WITH *, size(coalesce(w.specifiedAfter, [])) AS version
CALL (task, version) {
  MATCH (task)-[:SPECIFIED_BY]->(s:Specification)-[l:LISTS]->(c:Criterion)
  WHERE s.version = version
  RETURN collect([c.key, l.label, l.text, l.rewordedIn]) AS declared
}
MATCH (w)-[r:PROGRESS {state: 'verified'}]->(c:Criterion)
WITH f, task, w, c, touched, version, [x IN promised + examined WHERE x[0] = c.key | x[1]] AS files,
     // The turn of the newest verification stands right before the state. No label looks like that: JSON escapes its quotes.
     toInteger(split(split(r.kept, ',"verified",')[0], ',')[-1]) AS verifiedIn, [x IN declared WHERE x[0] = c.key] AS listed
WHERE version = 0 OR size(listed) > 0
WITH f, task, w, c, verifiedIn, [x IN touched WHERE x[0] > verifiedIn AND x[1] IN files] AS hits, listed[0][1] AS label,
     listed[0][2] AS text,
     CASE WHEN listed[0][3] IS NOT NULL AND w.specifiedAfter[listed[0][3] - 1] >= verifiedIn THEN listed[0][3] ELSE null END
       AS rewordedIn
WHERE size(hits) > 0 OR rewordedIn IS NOT NULL
RETURN f.id AS feature, task.id AS task, w.slug AS world, coalesce(label, c.labels[0]) AS criterion,
       coalesce(text, c.texts[0]) AS text, verifiedIn AS verified_in, hits[0][0] AS touched_in,
       [x IN hits WHERE x[0] = hits[0][0] | x[1]] AS files, rewordedIn AS reworded_in
ORDER BY feature, task, world, criterion, c.key LIMIT $limit
