// question: Which proofs are stale: a later turn changed their files, and no turn verified the criterion again?
// Uses the same rule as `turngraph criteria` for the criteria that count. The files are those of the
// criterion's newest promise and of its newest verification with files. `touched_in` is the first turn after
// `verified_in` that changed some of them; a file that git shows as unchanged does not count, and no file counts
// for an observed proof. `reworded_in` is the version of the specification that reworded the criterion after the
// proof. For an observed proof, the time of the observation is compared with the time of the version.
// columns: feature, task, world, criterion, text, verified_in, touched_in, files, reworded_in
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.lastGainTurn IS NOT NULL
MATCH (w)-[r:PROGRESS {state: 'verified'}]->(c:Criterion)
WITH f, task, w, c, r.lastVerifiedTurn AS verifiedIn, coalesce(r.basis, '') AS basis, r.observedAt AS observedAt
WITH f, task, w, collect([c.key, verifiedIn, c.labels[0], c.texts[0], basis, observedAt]) AS proofs, min(verifiedIn) AS first,
     size(coalesce(w.specifiedAfter, [])) AS version
WHERE first < w.currentTurn OR version > 1 // most sessions verify everything in their last turn
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:PROMISED]->(p:Promise)-[:TO_MEET]->(c:Criterion)
  WITH coalesce(c.mergedInto, c.key) AS key, p.implementationFiles + [coalesce(p.testFile, '')] AS files,
       t.number AS number, p.position AS position ORDER BY number, position
  WITH key, last(collect(files)) AS files
  UNWIND files AS file
  WITH key, file WHERE file <> ''
  RETURN collect([key, 0, file]) AS promised
}
CALL (w) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RECORDED]->(v:Verification)-[:OF]->(c:Criterion)
  WHERE size(v.files) > 0
  WITH coalesce(c.mergedInto, c.key) AS key, v.files AS files, t.number AS number, v.position AS position
  ORDER BY number, position
  WITH key, last(collect(files)) AS files
  UNWIND files AS file
  RETURN collect([key, 0, file]) AS examined
}
WITH f, task, w, proofs, first, version, promised + examined AS named
WHERE size(named) > 0 OR version > 1
CALL (w, first) {
  MATCH (w)-[:HAS_TURN]->(t:Turn)
  WHERE t.number > first
  UNWIND [x IN t.filesModified WHERE NOT x IN coalesce(t.deniedFiles, [])] AS file
  RETURN collect(['', t.number, file]) AS touched
}
CALL (named, touched) {
  UNWIND named + touched AS x
  WITH DISTINCT x[0] AS key, x[1] AS turn, x[2] AS given
// include analysis/_project-path
  WITH DISTINCT key, turn, path ORDER BY turn, path
  RETURN collect([key, turn, path]) AS paths
}
CALL (task, version) {
  MATCH (task)-[:SPECIFIED_BY]->(s:Specification)-[l:LISTS]->(c:Criterion)
  WHERE s.version = version
  OPTIONAL MATCH (task)-[:SPECIFIED_BY]->(x:Specification {version: l.rewordedIn})
  RETURN collect([c.key, l.label, l.text, l.rewordedIn, x.declaredAt]) AS declared
}
UNWIND proofs AS proof
WITH f, task, w, version, proof, proof[1] AS verifiedIn, paths,
     [x IN paths WHERE x[0] = proof[0] AND proof[4] <> 'observed' | x[2]] AS files,
     [x IN declared WHERE x[0] = proof[0]] AS listed
WHERE version = 0 OR size(listed) > 0
WITH f, task, w, proof, verifiedIn, [x IN paths WHERE x[0] = '' AND x[1] > verifiedIn AND x[2] IN files] AS hits, listed[0] AS listed,
     CASE WHEN listed[0][3] IS NULL THEN null
          WHEN proof[5] IS NOT NULL THEN CASE WHEN datetime(proof[5]) < listed[0][4] THEN listed[0][3] ELSE null END
          WHEN w.specifiedAfter[listed[0][3] - 1] >= verifiedIn THEN listed[0][3]
          ELSE null END AS rewordedIn
WHERE size(hits) > 0 OR rewordedIn IS NOT NULL
RETURN f.id AS feature, task.id AS task, w.slug AS world, coalesce(listed[1], proof[2]) AS criterion,
       coalesce(listed[2], proof[3]) AS text, verifiedIn AS verified_in, hits[0][1] AS touched_in,
       [x IN hits WHERE x[1] = hits[0][1] | x[2]] AS files, rewordedIn AS reworded_in
ORDER BY feature, task, world, criterion, proof[0] LIMIT $limit
