// question: Which issues recur in several sessions, and what got rid of them?
// Two issues are the same where category and description are equal but for line numbers, durations, counts and the like
// (`signature`; of issues that were stored before that was, where their words are equal). In how many sessions and turns each
// was raised, in how many sessions it is gone, and of the three that were last active of these the first judged turn that no
// longer raised it, with what the Player did there.
// columns: category, issue, sessions, turns, gone, got_rid_of_it
// params: $projectKey $feature $task $world $limit
// include analysis/_worlds
AND w.currentTurn > 0
MATCH (w)-[:HAS_TURN]->(t:Turn)-[:RAISED]->(i:Issue)
WITH w.key AS key, toLower(i.description) AS words, i.category AS category, max(i.signature) AS signature,
     min(i.description) AS description, collect(DISTINCT t.number) AS numbers
// An issue without a signature has that of one in the same words.
WITH words, category, max(signature) AS signature, collect([key, description, numbers]) AS raised
UNWIND raised AS x
UNWIND x[2] AS number
WITH x[0] AS key, coalesce(signature, coalesce(category, '') + ' ' + words) AS signature, category,
     min(x[1]) AS issue, count(DISTINCT number) AS turns, max(number) AS last
WITH signature, category, min(issue) AS issue, count(key) AS sessions, sum(turns) AS turns, collect([key, last]) AS places
WHERE sessions > 1
WITH signature, category, issue, sessions, turns, places ORDER BY sessions DESC, turns DESC, issue, signature LIMIT $limit
UNWIND places AS place
WITH signature, category, issue, sessions, turns, place[0] AS key, place[1] AS last
MATCH (w:World {key: key})
CALL (w, last) {
  MATCH (w)-[:HAS_TURN]->(x:Turn)
  WHERE x.number > last AND x.coachDecision IN ['approved', 'feedback', 'rejected']
  WITH w.slug AS world, x.number AS number, x.playerSummary AS summary ORDER BY number LIMIT 1
  RETURN collect(world + ' turn ' + toString(number) + ': ' + summary) AS went
}
WITH signature, category, issue, sessions, turns, w.lastActivityAt AS lastActivityAt, w.slug AS slug, went
ORDER BY lastActivityAt DESC, slug
WITH signature, category, issue, sessions, turns, collect(went) AS went
WITH signature, category, issue, sessions, turns, reduce(all = [], x IN went | all + x) AS went
RETURN category, issue, sessions, turns, size(went) AS gone, went[0..3] AS got_rid_of_it
ORDER BY sessions DESC, turns DESC, issue, signature LIMIT $limit
